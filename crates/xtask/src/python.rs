//! Python packages for tests, in an environment of the checkout's own, as a requirements file pins them.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Result, bail};

use crate::checkout::Checkout;
use crate::progress::step;
use crate::stamp::Stamp;
use crate::{browser, process};

/// The Python of an environment in `.tools/python/<name>` that has what a requirements file lists, by its path from the
/// root of the checkout.
///
/// # Errors
/// When there is no Python, or pip cannot install.
pub(crate) fn ensure(checkout: &Checkout, name: &str, requirements: &str) -> Result<PathBuf> {
    let folder = format!(".tools/python/{name}");
    let python = format!("{folder}/{}", if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
    let stamp = Stamp::new(checkout, &format!("python-{name}"), "", &[requirements], &[&python])?;
    if !stamp.is_fresh() {
        ensure_python()?;
        step(&format!("installing {requirements}"), || install(checkout, &folder, &python, requirements))?;
        stamp.record()?;
    }
    Ok(checkout.path(&python))
}

/// Python with what environments are made with, which Debian has in a package of its own.
fn ensure_python() -> Result<()> {
    let found = || {
        process::read(
            "python3",
            Command::new("python3").args(["-c", "import ensurepip, venv, sys; assert sys.version_info >= (3, 10)"]),
        )
        .is_ok()
    };
    if !found() {
        browser::apt_install(&["python3", "python3-venv"])?;
    }
    if !found() {
        bail!("Python 3.10 or newer with venv is missing; install it (Debian: `apt-get install python3 python3-venv`)");
    }
    Ok(())
}

fn install(checkout: &Checkout, folder: &str, python: &str, requirements: &str) -> Result<()> {
    let mut venv = Command::new("python3");
    venv.args(["-m", "venv", "--clear"]).arg(checkout.path(folder));
    process::run("python3 -m venv", venv)?;
    let mut pip = Command::new(checkout.path(python));
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input", "--requirement"])
        .arg(checkout.path(requirements));
    process::run(&format!("pip install --requirement {requirements}"), pip)
}
