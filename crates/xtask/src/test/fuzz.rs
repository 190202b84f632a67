//! Fuzzes the parsers of core, with the targets in `crates/core/fuzz`.

use std::fs;

use anyhow::{Context, Result, bail};

use crate::checkout::Checkout;
use crate::{process, tools};

/// The version of cargo-fuzz: the latest release that the pinned compiler can build.
const CARGO_FUZZ: &str = "0.13.2";

const FUZZ: &str = "crates/core/fuzz";

/// Fuzzes each target for this many seconds.
pub(super) fn run(checkout: &Checkout, seconds: u32) -> Result<()> {
    tools::ensure_cargo_tool(checkout, "cargo-fuzz", "cargo-fuzz", CARGO_FUZZ)?;
    for target in targets(checkout)? {
        fuzz(checkout, &target, seconds)?;
    }
    Ok(())
}

fn targets(checkout: &Checkout) -> Result<Vec<String>> {
    let names: Vec<_> = checkout
        .entries(&format!("{FUZZ}/fuzz_targets"))?
        .iter()
        .filter_map(|path| Some(path.file_name()?.to_str()?.strip_suffix(".rs")?.to_owned()))
        .collect();
    if names.is_empty() {
        bail!("{FUZZ} has no targets; a step without targets proves nothing");
    }
    Ok(names)
}

/// Fuzzes one target. New inputs are stored in `.tools/fuzz`. The corpus in the repository is only
/// read.
fn fuzz(checkout: &Checkout, target: &str, seconds: u32) -> Result<()> {
    println!("  fuzzing {target} for {seconds} s");
    let found = checkout.path(".tools/fuzz").join(target);
    fs::create_dir_all(&found).with_context(|| format!("{} cannot be written", found.display()))?;
    let mut command = tools::command(checkout, checkout.tool("cargo-fuzz"))?;
    command
        .args([
            "run",
            "--sanitizer",
            "none",
            "--fuzz-dir",
            FUZZ,
            "--target-dir",
        ])
        .arg(checkout.target().join("fuzz"))
        .arg(target)
        .arg(found);
    let corpus = checkout.path(FUZZ).join("corpus").join(target);
    if corpus.exists() {
        command.arg(corpus);
    }
    command
        .args([
            "--",
            &format!("-max_total_time={seconds}"),
            "-rss_limit_mb=2048",
            "-timeout=10",
            "-verbosity=0",
        ])
        // Coverage needs an unstable flag, which this variable enables in the stable compiler.
        .env("RUSTC_BOOTSTRAP", "1");
    process::run(&format!("fuzzing {target}"), command)
}
