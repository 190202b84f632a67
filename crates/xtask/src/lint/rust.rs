//! rustfmt and clippy.

use std::process::Command;

use anyhow::Result;

use crate::checkout::Checkout;
use crate::progress::step;
use crate::{process, tools};

/// The crate that runs as wasm and natively.
const BOTH: &str = "mediagate";
/// The crates that run as wasm, in groups that are linted together. In one group, cargo would give
/// the client the features of the gateway's libraries, such as the standard library.
const WASM_TURNS: [&[&str]; 3] = [
    &[
        "mediagate-platform",
        "mediagate-ids",
        "mediagate-upstream-client",
        "mediagate-messages",
        "mediagate-objects",
        "mediagate-worker",
        "mediagate-entry",
        "panicking-gateway",
        "embedded-gateway",
    ],
    &["mediagate-browser"],
    &["media-page", BOTH],
];
/// The manifest of the fuzz targets, which are a workspace of their own.
const FUZZ: &str = "crates/core/fuzz/Cargo.toml";

pub(super) fn format(checkout: &Checkout, fix: bool) -> Result<()> {
    let mut fmt = tools::cargo(checkout);
    fmt.args(["fmt", "--all"]);
    if !fix {
        fmt.arg("--check");
    }
    process::run("cargo fmt (`cargo xtask lint --fix` repairs it)", fmt)
}

/// Runs clippy for this machine, and for wasm on the crates that run as wasm.
pub(super) fn clippy(checkout: &Checkout, fix: bool) -> Result<()> {
    let only_wasm = WASM_TURNS.concat().into_iter().filter(|name| *name != BOTH);
    let excluded = only_wasm.flat_map(|name| ["--exclude", name]);
    step("clippy for this machine", || {
        select(checkout, fix, ["--workspace"].into_iter().chain(excluded))
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
        // Clippy links nothing, so any folder stands for the fuzzer's library, which takes long
        // to compile.
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
