//! `cargo xtask lint`: formatting, clippy for this machine and for wasm, and the project's vocabulary.

use anyhow::Result;
use clap::Args;

use crate::checkout::Checkout;
use crate::progress::step;
use crate::{process, tools, words};

/// The crates that run as wasm and are linted for it.
const WASM_PACKAGES: [&str; 2] = ["mediagate-worker", "mediagate-browser"];

/// Whether to repair what can be repaired.
#[derive(Args, Debug)]
pub(crate) struct Options {
    /// Repair what can be repaired
    #[arg(long)]
    fix: bool,
}

/// Checks formatting, lints with warnings denied, and words.
///
/// # Errors
/// At the first that fails.
pub(crate) fn run(checkout: &Checkout, options: &Options) -> Result<()> {
    step("formatting", || {
        let mut fmt = tools::cargo(checkout);
        fmt.args(["fmt", "--all"]);
        if !options.fix {
            fmt.arg("--check");
        }
        process::run("cargo fmt (`cargo xtask lint --fix` repairs it)", fmt)
    })?;
    let native = WASM_PACKAGES.iter().flat_map(|name| ["--exclude", name]);
    step("clippy for this machine", || clippy(checkout, options, ["--workspace"].into_iter().chain(native)))?;
    let wasm = WASM_PACKAGES.iter().flat_map(|name| ["--package", name]);
    step("clippy for wasm", || clippy(checkout, options, ["--target", tools::WASM].into_iter().chain(wasm)))?;
    step("words", || words::check(checkout))
}

fn clippy<'a>(checkout: &Checkout, options: &Options, selection: impl Iterator<Item = &'a str>) -> Result<()> {
    let mut clippy = tools::cargo(checkout);
    clippy.args(["clippy", "--all-targets"]).args(selection);
    if options.fix {
        clippy.args(["--fix", "--allow-dirty", "--allow-staged"]);
    }
    clippy.args(["--", "--deny", "warnings"]);
    process::run("clippy", clippy)
}
