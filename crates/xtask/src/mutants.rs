//! `cargo xtask mutants`: changes the code, one small change at a time, and shows the changes that no test notices
//! (docs/mutation-testing.md). `.cargo/mutants.toml` has the scope.

use std::fs;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result};
use clap::Args;

use crate::checkout::Checkout;
use crate::{process, tools};

/// The latest release that the pinned compiler can build.
const CARGO_MUTANTS: &str = "27.1.0";

/// How many mutants are built and tested at once; each has a copy of the sources and a target folder of its own.
const JOBS: &str = "2";
/// Cases of each property, fewer than in a test run: a mutant that a property catches is nearly always caught by these.
const CASES: &str = "64";
/// The timeout of the whole run.
const TIMEOUT: Duration = Duration::from_secs(6 * 60 * 60);

/// Which mutants to test.
#[derive(Args, Debug)]
pub(crate) struct Options {
    /// Test a part of them: `2/8` is the third of eight
    #[arg(long, value_name = "K/N")]
    shard: Option<String>,
    /// List them, and test none
    #[arg(long)]
    list: bool,
    /// Leave out those that the last run caught
    #[arg(long)]
    iterate: bool,
    /// The files of the scope to change, or patterns such as `crates/core/src/grammar/*.rs`; all where none is named
    #[arg(value_name = "FILES")]
    files: Vec<String>,
}

/// Tests the mutants. The results are in `target/mutants.out`.
///
/// # Errors
/// When a mutant is missed, or the tests fail without one.
pub(crate) fn run(checkout: &Checkout, options: &Options) -> Result<()> {
    tools::ensure_cargo_tool(checkout, "cargo-mutants", CARGO_MUTANTS, None)?;
    process::run_within("cargo mutants", command(checkout, options)?, TIMEOUT)
        .context("a mutant was missed, or a test failed without one; the lines above name it")
}

fn command(checkout: &Checkout, options: &Options) -> Result<Command> {
    let output = checkout.target();
    fs::create_dir_all(output).with_context(|| format!("{} cannot be written", output.display()))?;
    let mut mutants = tools::command(checkout, checkout.tool("cargo-mutants"))?;
    mutants.args(["mutants", "--jobs", JOBS, "--output"]).arg(output).env("PROPTEST_CASES", CASES);
    // In one folder the copies would overwrite each other's test programs.
    mutants.env_remove("CARGO_TARGET_DIR");
    if let Some(shard) = &options.shard {
        mutants.args(["--shard", shard]);
    }
    for (is_set, flag) in [(options.list, "--list"), (options.iterate, "--iterate")] {
        if is_set {
            mutants.arg(flag);
        }
    }
    for file in &options.files {
        mutants.args(["--file", file]);
    }
    Ok(mutants)
}
