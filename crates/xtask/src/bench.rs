//! `cargo xtask bench`: the costs of client and gateway, beside the costs of their peers. Builds
//! everything and runs the measurements in `tests/bench`.

use anyhow::Result;
use clap::Args;

use crate::checkout::Checkout;
use crate::{browser, build, process, tools};

/// The choice of measurements, and their length.
#[derive(Args, Debug)]
pub(crate) struct Options {
    /// Fewer rounds and smaller files
    #[arg(long)]
    quick: bool,
    /// Run only this measurement; may be repeated
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,
}

/// The options of `cargo xtask size`.
#[derive(Args, Debug)]
pub(crate) struct SizeOptions {
    /// Fail if a part is over its budget
    #[arg(long)]
    check: bool,
}

/// Builds everything and measures it.
pub(crate) fn run(checkout: &Checkout, options: &Options) -> Result<()> {
    let quick = options.quick.then_some("--quick");
    let only = options.only.iter().flat_map(|name| ["--only", name]);
    build::run(checkout, build::Options::default())?;
    measure(checkout, &quick.into_iter().chain(only).collect::<Vec<_>>())
}

/// Builds everything and prints the size of what a page downloads.
pub(crate) fn size(checkout: &Checkout, options: &SizeOptions) -> Result<()> {
    build::run(checkout, build::Options::default())?;
    let check = options.check.then_some("--check");
    measure(
        checkout,
        &["--only", "bytes"]
            .into_iter()
            .chain(check)
            .collect::<Vec<_>>(),
    )
}

/// Compares the measurements that do not depend on the machine with their budgets.
pub(crate) fn check(checkout: &Checkout) -> Result<()> {
    measure(checkout, &["--check"])
}

/// Runs every measurement in its short form.
pub(crate) fn quick(checkout: &Checkout) -> Result<()> {
    measure(checkout, &["--quick"])
}

/// Measures the parts as they are built. Steps of the tests must not build again, as cargo may be
/// busy with the Rust tests beside them.
fn measure(checkout: &Checkout, arguments: &[&str]) -> Result<()> {
    let mut node = tools::command(checkout, "node")?;
    node.arg("tests/bench/run.mjs")
        .args(arguments)
        .env("CHROME", browser::ensure()?);
    process::run("the measurements", node)
}
