//! `cargo xtask probe`: finds out from the real media service what its document leaves open.

use std::process::Command;

use anyhow::{Context, Result};
use clap::Args;

use crate::checkout::Checkout;
use crate::{process, tools};

/// The package, and its program.
const PACKAGE: &str = "mediagate-probe";

/// What is passed on to the program.
#[derive(Args, Debug)]
pub(crate) struct Options {
    /// Arguments of the probe; `cargo xtask probe --help` lists them
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENTS")]
    arguments: Vec<String>,
}

/// Builds the program, and runs it in place of this one: it reads from the terminal.
///
/// # Errors
/// When it can't be built, or has failed.
pub(crate) fn run(checkout: &Checkout, options: &Options) -> Result<()> {
    let mut build = tools::cargo(checkout);
    build.args(["build", "--quiet", "--package", PACKAGE]);
    process::run("cargo build", build)?;
    let mut command = Command::new(checkout.program(PACKAGE));
    command.args(&options.arguments);
    replace(command)
}

#[cfg(unix)]
fn replace(mut command: Command) -> Result<()> {
    // Returns only where it failed.
    Err(std::os::unix::process::CommandExt::exec(&mut command)).context("the probe can't be started")
}

#[cfg(not(unix))]
fn replace(mut command: Command) -> Result<()> {
    let status = command.status().context("the probe can't be started")?;
    anyhow::ensure!(status.success(), "the probe has failed; its last line says why");
    Ok(())
}
