//! `cargo xtask bench`: what client and gateway cost, beside their peers. `tests/bench` measures; this builds what it
//! measures and runs it.

use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;

use crate::checkout::Checkout;
use crate::{browser, build, process, tools};

const SCRIPT: &str = "tests/bench/run.mjs";

/// What to measure, and how long.
#[derive(Args, Debug)]
pub(crate) struct Options {
    /// Fewer rounds and smaller files: about a minute and a half
    #[arg(long)]
    quick: bool,
    /// Only what can be counted; fail where something is over tests/bench/budgets.json
    #[arg(long)]
    check: bool,
    /// One measurement alone; may be repeated
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,
    /// Another build of the gateway, to be measured beside this one
    #[arg(long, value_name = "FOLDER")]
    against: Option<PathBuf>,
}

/// Whether to hold the sizes against their budgets.
#[derive(Args, Debug)]
pub(crate) struct SizeOptions {
    /// Fail where a part is over its budget
    #[arg(long)]
    check: bool,
}

/// Builds everything and measures it.
///
/// # Errors
/// When something does not build, cannot be measured, or with `--check` is over its budget.
pub(crate) fn run(checkout: &Checkout, options: &Options) -> Result<()> {
    build::run(checkout, &build::Options::default())?;
    let browser = if options.check { None } else { Some(browser::ensure()?) };
    let mut node = tools::command(checkout, "node")?;
    node.arg(checkout.path(SCRIPT)).args(arguments(options));
    if let Some(folder) = &options.against {
        let folder = folder.canonicalize().with_context(|| format!("{} is no build", folder.display()))?;
        node.arg("--against").arg(folder);
    }
    if let Some(browser) = browser {
        node.env("CHROME", &browser.chrome);
    }
    process::run("the measurements", node)
}

/// Builds everything and prints what a page downloads.
///
/// # Errors
/// As [`run`].
pub(crate) fn size(checkout: &Checkout, options: &SizeOptions) -> Result<()> {
    run(checkout, &Options { quick: true, check: options.check, only: vec!["bytes".to_owned()], against: None })
}

/// Holds everything that can be counted against its budget.
///
/// # Errors
/// As [`run`].
pub(crate) fn check(checkout: &Checkout) -> Result<()> {
    run(checkout, &Options { quick: false, check: true, only: Vec::new(), against: None })
}

fn arguments(options: &Options) -> Vec<String> {
    let flags = [("--quick", options.quick), ("--check", options.check)];
    let flags = flags.into_iter().filter(|it| it.1).map(|it| it.0.to_owned());
    let only = options.only.iter().flat_map(|it| ["--only".to_owned(), it.clone()]);
    flags.chain(only).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_for_is_passed_on() {
        let options =
            Options { quick: true, check: false, only: vec!["cpu".to_owned(), "start".to_owned()], against: None };
        assert_eq!(arguments(&options), ["--quick", "--only", "cpu", "--only", "start"]);
    }
}
