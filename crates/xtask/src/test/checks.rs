//! The steps that check what no test drives: documentation, dependencies, and parsers under random inputs.

use std::fs;

use anyhow::{Context, Result, bail};

use super::options::Options;
use crate::checkout::Checkout;
use crate::{process, tools};

/// The latest releases that the pinned compiler can build.
const CARGO_DENY: &str = "0.20.2";
const CARGO_FUZZ: &str = "0.13.2";

const FUZZ: &str = "crates/core/fuzz";

pub(super) fn docs(checkout: &Checkout, _: &Options) -> Result<()> {
    let all = ["--workspace", "--exclude", "wasm-tools-runner", "--document-private-items"];
    // What only a page has.
    let page = ["--package", "mediagate", "--target", "wasm32-unknown-unknown"];
    for packages in [&all[..], &page[..]] {
        let mut doc = tools::cargo(checkout);
        doc.args(["doc", "--quiet", "--no-deps"]).args(packages).env("RUSTDOCFLAGS", "--deny warnings");
        process::run("cargo doc", doc)?;
    }
    Ok(())
}

pub(super) fn deny(checkout: &Checkout, _: &Options) -> Result<()> {
    tools::ensure_cargo_tool(checkout, "cargo-deny", CARGO_DENY, None)?;
    let cargo_deny = |arguments: &[&str]| {
        let mut command = tools::command(checkout, checkout.tool("cargo-deny"))?;
        command.args(arguments);
        anyhow::Ok(command)
    };
    process::run("cargo deny", cargo_deny(&["--log-level", "error", "check", "bans", "licenses", "sources"])?)?;
    // The advisories are in a Git repository. Where it cannot be fetched, the other checks still count.
    if process::read("cargo deny fetch", &mut cargo_deny(&["--log-level", "off", "fetch", "db"])?).is_err() {
        println!("  advisories not checked: their database cannot be fetched here");
        return Ok(());
    }
    process::run("cargo deny check advisories", cargo_deny(&["check", "--disable-fetch", "advisories"])?)
}

pub(super) fn fuzz(checkout: &Checkout, options: &Options) -> Result<()> {
    fuzz_for(checkout, options.fuzz_seconds)
}

/// Fuzzes each target for this long.
///
/// # Errors
/// When cargo-fuzz cannot be installed, or a target fails.
pub(super) fn fuzz_for(checkout: &Checkout, seconds: u32) -> Result<()> {
    tools::ensure_cargo_tool(checkout, "cargo-fuzz", CARGO_FUZZ, None)?;
    for target in fuzz_targets(checkout)? {
        fuzz_target(checkout, &target, seconds)?;
    }
    Ok(())
}

fn fuzz_targets(checkout: &Checkout) -> Result<Vec<String>> {
    let folder = checkout.path(FUZZ).join("fuzz_targets");
    let entries = fs::read_dir(&folder).with_context(|| format!("{} cannot be read", folder.display()))?;
    let paths = entries.map(|entry| entry.map(|it| it.path())).collect::<Result<Vec<_>, _>>()?;
    let rust = paths.iter().filter(|path| path.extension().is_some_and(|it| it == "rs"));
    let mut names: Vec<_> = rust.filter_map(|path| Some(path.file_stem()?.to_string_lossy().into_owned())).collect();
    names.sort();
    if names.is_empty() {
        bail!("{FUZZ} has no targets; a step without targets proves nothing");
    }
    Ok(names)
}

/// Fuzzes one target. New inputs are stored in `.tools/fuzz`; the corpus in the repository is only read.
fn fuzz_target(checkout: &Checkout, target: &str, seconds: u32) -> Result<()> {
    println!("  fuzzing {target} for {seconds} s");
    let found = checkout.path(".tools/fuzz").join(target);
    fs::create_dir_all(&found).with_context(|| format!("{} cannot be written", found.display()))?;
    let mut fuzz = tools::command(checkout, checkout.tool("cargo-fuzz"))?;
    fuzz.args(["run", "--sanitizer", "none", "--fuzz-dir", FUZZ, "--target-dir"])
        .arg(checkout.target().join("fuzz"))
        .arg(target)
        .arg(found);
    let corpus = checkout.path(FUZZ).join("corpus").join(target);
    if corpus.exists() {
        fuzz.arg(corpus);
    }
    fuzz.args(["--", &format!("-max_total_time={seconds}"), "-rss_limit_mb=2048", "-timeout=10", "-verbosity=0"])
        // Coverage needs an unstable flag, which this variable enables in the stable compiler.
        .env("RUSTC_BOOTSTRAP", "1");
    process::run(&format!("fuzzing {target}"), fuzz)
}
