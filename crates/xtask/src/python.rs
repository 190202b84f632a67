//! Installs the packages that a `requirements.txt` pins. They are published tools that the tests
//! use.

use std::path::PathBuf;

use anyhow::{Context, Result};
use xshell::cmd;

use crate::checkout::Checkout;
use crate::stamp::Stamp;
use crate::{browser, process};

/// Fails without Python's `venv`, which Debian has in a package of its own, and if Python is older
/// than the pinned packages support.
const CHECK: &str = "import ensurepip, venv, sys; assert sys.version_info >= (3, 11)";

/// Installs the packages of a requirements file into the virtual environment
/// `.tools/python/{name}`, unless it is up to date. Returns the folder of its programs.
pub(crate) fn ensure(checkout: &Checkout, requirements: &str, name: &str) -> Result<PathBuf> {
    let check = || cmd!(checkout, "python3 -c {CHECK}").ignore_stderr().read();
    if check().is_err() {
        browser::apt_install(checkout, &["python3", "python3-venv"])?;
        check().context("install Python 3.11 or newer (Debian: `apt-get install python3-venv`)")?;
    }
    let version = cmd!(checkout, "python3 --version").read()?;
    let folder = format!(".tools/python/{name}");
    let programs = checkout
        .path(&folder)
        .join(if cfg!(windows) { "Scripts" } else { "bin" });
    let stamp = Stamp {
        name: &format!("Python packages of {requirements}"),
        setting: &version,
        inputs: &[requirements],
        outputs: &[&folder],
    };
    stamp.unless_fresh(checkout, || {
        process::call(cmd!(checkout, "python3 -m venv --clear {folder}"))?;
        let python = programs.join("python");
        // Python compiles a module when it is imported, and most modules never are.
        let options = ["--no-compile", "--no-deps", "--only-binary=:all:"];
        let pip = cmd!(checkout, "{python} -m pip install --quiet {options...}");
        process::call(pip.args(["-r", requirements]))
            .context("if the registry does not respond, connect or name a mirror for pip")
    })?;
    Ok(programs)
}
