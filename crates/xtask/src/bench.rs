//! `cargo xtask bench`: the costs of client and gateway, beside those of their peers. This builds what is measured and
//! runs the measurements in `tests/bench`.

use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;

use crate::checkout::Checkout;
use crate::{browser, build, process, tools};

const SCRIPT: &str = "tests/bench/run.mjs";

/// What to measure, and how long.
#[derive(Args, Debug, Default)]
pub(crate) struct Options {
    /// Fewer rounds and smaller files: about a minute and a half
    #[arg(long)]
    quick: bool,
    /// Only the exact counts; fail where one is over its budget in tests/bench/budgets.json
    #[arg(long)]
    check: bool,
    /// One measurement alone; may be repeated
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,
    /// Instead of measuring, print what the gateway's CPU time is spent on: a `create` or a `status`. Needs perf
    #[arg(long, value_name = "KIND", value_parser = ["create", "status"], conflicts_with_all = ["check", "only", "against"])]
    profile: Option<String>,
    /// Another build of the gateway, to measure beside this one
    #[arg(long, value_name = "FOLDER")]
    against: Option<PathBuf>,
}

/// Whether to compare the sizes with their budgets.
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
    build::run(checkout, build::Options::default())?;
    let browser = if options.check || options.profile.is_some() {
        None
    } else {
        Some(browser::ensure()?)
    };
    let mut node = tools::command(checkout, "node")?;
    node.arg(checkout.path(SCRIPT)).args(arguments(options));
    if let Some(folder) = &options.against {
        let folder = folder
            .canonicalize()
            .with_context(|| format!("{} is not a build", folder.display()))?;
        node.arg("--against").arg(folder);
    }
    if let Some(browser) = browser {
        node.env("CHROME", &browser);
    }
    process::run("the measurements", node)
}

/// Builds everything and prints the size of what a page downloads.
///
/// # Errors
/// As [`run`].
pub(crate) fn size(checkout: &Checkout, options: &SizeOptions) -> Result<()> {
    run(
        checkout,
        &Options {
            quick: true,
            check: options.check,
            only: vec!["bytes".to_owned()],
            ..Options::default()
        },
    )
}

/// Compares the exact counts with their budgets.
///
/// # Errors
/// As [`run`].
pub(crate) fn check(checkout: &Checkout) -> Result<()> {
    run(
        checkout,
        &Options {
            check: true,
            ..Options::default()
        },
    )
}

/// Runs every measurement, in its short form.
///
/// # Errors
/// As [`run`].
pub(crate) fn quick(checkout: &Checkout) -> Result<()> {
    run(
        checkout,
        &Options {
            quick: true,
            ..Options::default()
        },
    )
}

fn arguments(options: &Options) -> Vec<String> {
    let flags = [("--quick", options.quick), ("--check", options.check)];
    let flags = flags
        .into_iter()
        .filter(|it| it.1)
        .map(|it| it.0.to_owned());
    let only = options
        .only
        .iter()
        .flat_map(|it| ["--only".to_owned(), it.clone()]);
    let profile = options
        .profile
        .iter()
        .flat_map(|it| ["--profile".to_owned(), it.clone()]);
    flags.chain(only).chain(profile).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_options_are_passed_on() {
        let only = vec!["cpu".to_owned(), "start".to_owned()];
        let options = Options {
            quick: true,
            only,
            ..Options::default()
        };
        assert_eq!(
            arguments(&options),
            ["--quick", "--only", "cpu", "--only", "start"]
        );
        let options = Options {
            profile: Some("create".to_owned()),
            ..Options::default()
        };
        assert_eq!(arguments(&options), ["--profile", "create"]);
    }
}
