//! rustfmt and clippy.

use std::process::Command;

use anyhow::Result;

use crate::checkout::Checkout;
use crate::progress::step;
use crate::{process, tools};

/// The crate that runs as wasm and natively.
const BOTH: &str = "mediagate";
/// The crates that run as wasm, by what is linted at once: all together, the client would get the features of the gateway's
/// libraries, the standard library among them.
const WASM_TURNS: [&[&str]; 3] = [
    &["mediagate-worker"],
    &["mediagate-browser"],
    &["media-page", BOTH],
];
/// The crate that runs the tools of others: fifty lines, for which clippy would check ninety libraries.
const TOOLS: &str = "wasm-tools-runner";
/// The fuzz targets, a workspace of their own.
const FUZZ: &str = "crates/core/fuzz/Cargo.toml";

pub(super) fn format(checkout: &Checkout, fix: bool) -> Result<()> {
    let mut fmt = tools::cargo(checkout);
    fmt.args(["fmt", "--all"]);
    if !fix {
        fmt.arg("--check");
    }
    process::run("cargo fmt (`cargo xtask lint --fix` repairs it)", fmt)
}

/// Clippy for this machine, and for wasm where a crate runs as wasm.
pub(super) fn clippy(checkout: &Checkout, fix: bool) -> Result<()> {
    let wasm_alone = WASM_TURNS.concat().into_iter().filter(|it| *it != BOTH);
    let native = wasm_alone
        .chain([TOOLS])
        .flat_map(|name| ["--exclude", name]);
    step("clippy for this machine", || {
        select(checkout, fix, ["--workspace"].into_iter().chain(native))
    })?;
    tools::ensure_target(tools::WASM)?;
    step("clippy for wasm", || {
        WASM_TURNS.iter().try_for_each(|names| {
            let packages = names.iter().flat_map(|name| ["--package", name]);
            select(
                checkout,
                fix,
                ["--target", tools::WASM].into_iter().chain(packages),
            )
        })
    })?;
    step("clippy for the fuzz targets", || {
        fuzz_targets(checkout, fix)
    })
}

fn select<'a>(
    checkout: &Checkout,
    fix: bool,
    selection: impl Iterator<Item = &'a str>,
) -> Result<()> {
    let mut clippy = command(checkout);
    clippy.args(selection);
    run(clippy, fix)
}

fn fuzz_targets(checkout: &Checkout, fix: bool) -> Result<()> {
    let mut clippy = command(checkout);
    clippy
        .args(["--manifest-path", FUZZ, "--target-dir"])
        .arg(checkout.target())
        // Only what is linked needs the fuzzer's own library, which takes long to compile.
        .env("CUSTOM_LIBFUZZER_PATH", checkout.target());
    run(clippy, fix)
}

fn command(checkout: &Checkout) -> Command {
    let mut clippy = tools::cargo(checkout);
    clippy.args(["clippy", "--all-targets"]);
    clippy
}

fn run(mut clippy: Command, fix: bool) -> Result<()> {
    if fix {
        clippy.args(["--fix", "--allow-dirty", "--allow-staged"]);
    }
    clippy.args(["--", "--deny", "warnings"]);
    process::run("clippy", clippy)
}
