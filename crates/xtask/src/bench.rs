//! `cargo xtask bench`: the costs of client and gateway, beside those of their peers. This builds what is measured and
//! runs the measurements in `tests/bench`.

use anyhow::Result;
use clap::Args;

use crate::checkout::Checkout;
use crate::{browser, build, process, tools};

/// What to measure, and how long.
#[derive(Args, Debug)]
pub(crate) struct Options {
    /// Fewer rounds and smaller files
    #[arg(long)]
    quick: bool,
    /// One measurement alone; may be repeated
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,
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
/// When something does not build, or cannot be measured.
pub(crate) fn run(checkout: &Checkout, options: &Options) -> Result<()> {
    let quick = options.quick.then_some("--quick");
    let only = options.only.iter().flat_map(|name| ["--only", name]);
    measure(checkout, &quick.into_iter().chain(only).collect::<Vec<_>>())
}

/// Builds everything and prints the size of what a page downloads.
///
/// # Errors
/// As [`run`]; with `--check`, when a part is over its budget.
pub(crate) fn size(checkout: &Checkout, options: &SizeOptions) -> Result<()> {
    let check = options.check.then_some("--check");
    measure(
        checkout,
        &["--only", "bytes"]
            .into_iter()
            .chain(check)
            .collect::<Vec<_>>(),
    )
}

/// Compares what is the same on every machine with its budgets.
///
/// # Errors
/// As [`run`], and when one is over its budget.
pub(crate) fn check(checkout: &Checkout) -> Result<()> {
    measure(checkout, &["--check"])
}

/// Runs every measurement, in its short form.
///
/// # Errors
/// As [`run`].
pub(crate) fn quick(checkout: &Checkout) -> Result<()> {
    measure(checkout, &["--quick"])
}

fn measure(checkout: &Checkout, arguments: &[&str]) -> Result<()> {
    build::run(checkout, build::Options::default())?;
    let mut node = tools::command(checkout, "node")?;
    node.arg("tests/bench/run.mjs")
        .args(arguments)
        .env("CHROME", browser::ensure()?);
    process::run("the measurements", node)
}
