//! The checkout: its paths, and the commands that run in it.

use std::env;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use xshell::{Cmd, Shell};

const LOOPBACK: &str = "127.0.0.1,localhost,::1";

/// The folders of this checkout, and the environment of its commands.
#[derive(Debug, Clone)]
pub(crate) struct Checkout {
    root: PathBuf,
    target: PathBuf,
    /// Reads and writes files below the root.
    pub(crate) shell: Shell,
}

impl Checkout {
    /// Finds the checkout that this program was built from.
    pub(crate) fn find() -> Result<Self> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"))
            .ancestors()
            .nth(2)
            .context("xtask is not in crates/xtask")?;
        // The program's own path shows the target folder. CARGO_TARGET_DIR or a user's
        // configuration may have moved it out of the checkout.
        let program = env::current_exe()?;
        let target = program
            .ancestors()
            .nth(2)
            .context("xtask is not in a target folder; run it as `cargo xtask`")?;
        Ok(Self {
            root: root.to_owned(),
            target: target.to_owned(),
            shell: shell(root)?,
        })
    }

    pub(crate) fn path(&self, relative: impl AsRef<Path>) -> PathBuf {
        self.root.join(relative)
    }

    /// Cargo's target folder.
    pub(crate) fn target(&self) -> &Path {
        &self.target
    }

    /// The path of a program that cargo builds in the dev profile.
    pub(crate) fn program(&self, name: &str) -> PathBuf {
        self.target
            .join("debug")
            .join(format!("{name}{}", env::consts::EXE_SUFFIX))
    }

    /// Returns a command in the checkout's root, for `cmd!(checkout, "…")`. It finds the programs
    /// of the installed packages and tools, and sends no request to this machine to a proxy.
    pub(crate) fn cmd(&self, program: impl AsRef<Path>) -> Cmd<'_> {
        let program = program.as_ref();
        // Windows starts a script such as npm only by its path.
        let path = self.shell.var_os("PATH");
        let found = which::which_in(program, path, &self.root);
        let command = self.shell.cmd(found.as_deref().unwrap_or(program));
        // Cargo describes the package of this program in variables. Some build scripts read them:
        // their libraries would be compiled again by each call of cargo from this program, and by
        // the next call outside of it.
        let is_of_package =
            |name: &str| name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_");
        env::vars_os()
            .map(|(name, _)| name)
            .filter(|name| name.to_str().is_some_and(is_of_package))
            .fold(command, Cmd::env_remove)
    }
}

fn shell(root: &Path) -> Result<Shell> {
    let shell = Shell::new()?;
    shell.change_dir(root);
    let installed = [".tools/cargo/bin", "node_modules/.bin"].map(|folder| root.join(folder));
    let path = env::var_os("PATH").unwrap_or_default();
    let path = env::join_paths(installed.into_iter().chain(env::split_paths(&path)))
        .context("the checkout's path contains a separator of PATH; move the checkout")?;
    shell.set_var("PATH", path);
    // Some programs read the lower case, others the upper case.
    for name in ["no_proxy", "NO_PROXY"] {
        let hosts = match env::var(name) {
            Ok(hosts) if !hosts.is_empty() => format!("{hosts},{LOOPBACK}"),
            _ => LOOPBACK.to_owned(),
        };
        shell.set_var(name, hosts);
    }
    Ok(shell)
}
