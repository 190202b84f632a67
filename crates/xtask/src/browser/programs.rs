//! Finds programs outside of the checkout, and installs their packages.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use anyhow::{Context, Result};

use crate::process;
use crate::progress::step;

/// A program outside of the checkout.
pub(super) struct Program {
    /// The environment variable that may name the program. The tests read its path from it.
    pub(super) variable: &'static str,
    /// The names and paths that the program may have.
    pub(super) names: &'static [&'static str],
    /// Debian's packages of the program. The first one that can be installed is enough.
    pub(super) packages: &'static [&'static str],
    /// Its names in Homebrew and in winget. `None` if it is only for Linux.
    pub(super) elsewhere: Option<[&'static str; 2]>,
}

impl Program {
    /// Returns the path of the program, from its variable, on the `PATH`, or in the usual folders.
    /// On Debian and Ubuntu, this installs a missing program if it runs as root.
    pub(super) fn ensure(&self) -> Result<PathBuf> {
        if let Some(program) = self.find()? {
            return Ok(program);
        }
        let mut installed = Ok(());
        for package in self.packages {
            installed = apt_install(&[package]);
            if installed.is_ok() {
                break;
            }
        }
        installed?;
        self.find()?
            .with_context(|| format!("{} is missing; {}", self.names[0], self.remedy()))
    }

    fn find(&self) -> Result<Option<PathBuf>> {
        let Self {
            variable, names, ..
        } = self;
        let Some(named) = env::var_os(variable).filter(|value| !value.is_empty()) else {
            return Ok(names.iter().find_map(|name| which::which(name).ok()));
        };
        which::which(&named).map(Some).with_context(|| {
            format!(
                "{variable} names {}, which is not a program",
                Path::new(&named).display()
            )
        })
    }

    /// Returns the command that installs the program on this operating system.
    fn remedy(&self) -> String {
        let install = match (env::consts::OS, self.elsewhere) {
            ("macos", Some([homebrew, _])) => format!("run `brew install --cask {homebrew}`"),
            ("windows", Some([_, winget])) => format!("run `winget install {winget}`"),
            _ => format!(
                "install it with your package manager (Debian: `sudo apt-get install {}`)",
                self.packages.last().unwrap_or(&self.names[0])
            ),
        };
        format!("{install}, or name it in {}", self.variable)
    }
}

/// Installs Debian packages, if this runs as root and there is apt-get. Otherwise does nothing.
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
        let find = |names| {
            let program = Program {
                variable: "MEDIAGATE_NO_SUCH_VARIABLE",
                names,
                packages: &[],
                elsewhere: None,
            };
            program.find().unwrap()
        };
        let found = find(&["no-such-program-here", "cargo"]).unwrap();
        assert_eq!(found.file_stem().unwrap(), "cargo");
        assert_eq!(find(&["no-such-program-here"]), None);
    }
}
