//! Finds Python, and installs the packages that a `requirements.txt` pins. They are published tools
//! that the tests use.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::checkout::Checkout;
use crate::stamp::Stamp;
use crate::{browser, process};

/// The earliest version of Python that every pinned package supports: (major, minor).
const MIN_PYTHON: (u32, u32) = (3, 11);

/// Installs the packages of a requirements file into the virtual environment
/// `.tools/python/{name}`, unless it is up to date. Returns the folder of its programs.
pub(crate) fn ensure(checkout: &Checkout, requirements: &str, name: &str) -> Result<PathBuf> {
    // Debian has venv in a package of its own.
    let has_venv = || {
        process::read(
            "python3",
            Command::new("python3").args(["-c", "import ensurepip, venv"]),
        )
        .is_ok()
    };
    if !has_venv() {
        browser::apt_install(&["python3", "python3-venv"])?;
    }
    let version = process::read(
        "python3 --version",
        Command::new("python3").arg("--version"),
    )
    .context(
        "Python is not on the PATH; \
             install Python 3.11 or newer (Debian: `apt-get install python3-venv`)",
    )?;
    if process::major_minor(&version).is_none_or(|found| found < MIN_PYTHON) {
        bail!(
            "{version} is too old; install Python {}.{} or newer",
            MIN_PYTHON.0,
            MIN_PYTHON.1
        );
    }
    let folder = format!(".tools/python/{name}");
    let programs = checkout
        .path(&folder)
        .join(if cfg!(windows) { "Scripts" } else { "bin" });
    let stamp = Stamp::new(
        checkout,
        &format!("python-{name}"),
        &version,
        &[requirements],
        &[&folder],
    )?;
    stamp.unless_fresh(&format!("installing {requirements}"), || {
        install(checkout, requirements, &folder, &programs)
    })?;
    Ok(programs)
}

fn install(checkout: &Checkout, requirements: &str, folder: &str, programs: &Path) -> Result<()> {
    let path = checkout.path(folder);
    // The folder may have an environment of another Python, or an incomplete one.
    if path.exists() {
        fs::remove_dir_all(&path).with_context(|| format!("{folder} cannot be removed"))?;
    }
    let mut make = Command::new("python3");
    make.args(["-m", "venv"]).arg(&path);
    process::run("python3 -m venv", make).context(
        "no virtual environment can be created; on Debian, run `apt-get install python3-venv`",
    )?;
    let output = Command::new(programs.join("python"))
        .args([
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "--no-deps",
            "--only-binary",
            ":all:",
        ])
        // Python compiles a module when it is imported, and most modules never are.
        .arg("--no-compile")
        .arg("--requirement")
        .arg(checkout.path(requirements))
        .stdin(Stdio::null())
        .output()
        .context("pip does not start")?;
    if output.status.success() {
        return Ok(());
    }
    let stderr = String::from_utf8_lossy(&output.stderr);
    let last = stderr
        .lines()
        .rev()
        .find(|line| line.starts_with("ERROR"))
        .unwrap_or("pip gives no reason");
    bail!(
        "pip install failed: {last}; \
         connect, or name a mirror in pip's settings, and run this again"
    )
}
