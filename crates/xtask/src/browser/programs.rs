//! Finds programs outside of the checkout, and installs their packages.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use anyhow::{Context, Result};

use crate::process;
use crate::progress::step;

/// Returns the program in this environment variable, or else the first of `names` that exists.
///
/// # Errors
/// If the variable names no program.
pub(super) fn find_program(variable: &str, names: &[&str]) -> Result<Option<PathBuf>> {
    match env::var_os(variable).filter(|value| !value.is_empty()) {
        Some(named) => {
            let found = which::which(&named);
            found.map(Some).with_context(|| {
                format!(
                    "{variable} names {}, which is not a program",
                    Path::new(&named).display()
                )
            })
        }
        None => Ok(names.iter().find_map(|name| which::which(name).ok())),
    }
}

/// Installs Debian packages, if this runs as root and there is apt-get. Otherwise does nothing.
///
/// # Errors
/// If apt-get fails.
pub(crate) fn apt_install(packages: &[&str]) -> Result<()> {
    let is_root = process::read("id", Command::new("id").arg("-u")).is_ok_and(|id| id == "0");
    if !is_root || which::which("apt-get").is_err() {
        return Ok(());
    }
    static LOCK: Mutex<()> = Mutex::new(());
    step(&format!("installing {}", packages.join(", ")), || {
        // apt-get fails while another apt-get runs.
        let _one = LOCK.lock();
        let apt = |arguments: &[&str]| {
            let mut command = Command::new("apt-get");
            command
                .args(arguments)
                .env("DEBIAN_FRONTEND", "noninteractive");
            command
        };
        process::run("apt-get update", apt(&["update", "-qq"]))?;
        let mut install = apt(&["install", "-qq", "--yes", "--no-install-recommends"]);
        install.args(packages);
        process::run("apt-get install", install)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_program_that_exists_is_used() {
        let found = find_program(
            "MEDIAGATE_NO_SUCH_VARIABLE",
            &["no-such-program-here", "cargo"],
        )
        .unwrap();
        assert_eq!(found.unwrap().file_stem().unwrap(), "cargo");
        assert!(
            find_program("MEDIAGATE_NO_SUCH_VARIABLE", &["no-such-program-here"])
                .unwrap()
                .is_none()
        );
    }
}
