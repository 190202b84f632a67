//! `cargo xtask lint`: rustfmt and clippy for Rust; Biome and TypeScript for JavaScript,
//! TypeScript, CSS, JSON and HTML.

use anyhow::{Context, Result};
use clap::Args;
use xshell::cmd;

use crate::checkout::Checkout;
use crate::process::{both, call};
use crate::progress::step;
use crate::{build, npm, wasm};

/// The crate that runs as wasm and natively.
const BOTH: &str = "mediagate";
/// The crates that run as wasm, in groups that are linted together. In one group, cargo would give
/// the client the features of the gateway's libraries, such as the standard library.
const WASM_GROUPS: [&[&str]; 3] = [
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

/// The projects whose types need no built file. The step `scripts` of `cargo xtask test` checks all
/// further projects.
const PROJECTS: [&str; 2] = ["crates/platform", "tests/bench/gateway"];

#[derive(Args, Debug, Default)]
pub(crate) struct Options {
    /// Repair formatting, imports and some lints
    #[arg(long)]
    fix: bool,
}

pub(crate) fn run(checkout: &Checkout, options: &Options) -> Result<()> {
    step("formatting of Rust", || {
        let check = (!options.fix).then_some("--check");
        call(cmd!(checkout, "cargo fmt --all {check...}"))
            .context("`cargo xtask lint --fix` repairs the formatting")
    })?;
    both(checkout, npm::ensure, |checkout| {
        clippy(checkout, options.fix)
    })?;
    // Some lints read the types of what a script imports.
    call(cmd!(checkout, "cargo build --bin mediagate-generate"))?;
    build::generate(checkout, Some("--built"))?;
    scripts(checkout, options.fix)
}

fn clippy(checkout: &Checkout, fix: bool) -> Result<()> {
    let clippy = |what: &str, options: Vec<&str>| {
        let fix: &[&str] = match fix {
            true => &["--fix", "--allow-dirty", "--allow-staged"],
            false => &[],
        };
        let clippy = cmd!(checkout, "cargo clippy --all-targets {options...} {fix...}");
        // Clippy links nothing, so any folder stands for the fuzzer's library, which takes long to
        // compile.
        let clippy = clippy.env("CUSTOM_LIBFUZZER_PATH", checkout.target());
        step(&format!("clippy for {what}"), || {
            call(clippy.args(["--", "--deny", "warnings"]))
        })
    };
    let mut native = vec!["--workspace"];
    for group in WASM_GROUPS {
        let only_wasm = group.iter().filter(|name| **name != BOTH);
        native.extend(only_wasm.flat_map(|name| ["--exclude", name]));
    }
    clippy("this machine", native)?;
    for group in WASM_GROUPS {
        let packages = group.iter().flat_map(|name| ["--package", name]);
        clippy(
            "wasm",
            ["--target", wasm::TARGET]
                .into_iter()
                .chain(packages)
                .collect(),
        )?;
    }
    let manifest = "crates/core/fuzz/Cargo.toml";
    let target = checkout.target().to_string_lossy();
    clippy(
        "the fuzz targets",
        vec!["--manifest-path", manifest, "--target-dir", &target],
    )
}

pub(crate) fn scripts(checkout: &Checkout, fix: bool) -> Result<()> {
    step("formatting and lints of scripts", || {
        let write = fix.then_some("--write");
        call(cmd!(checkout, "biome check --error-on-warnings {write...}"))
            .context("`cargo xtask lint --fix` repairs formatting, imports and some lints")
    })?;
    step("types of scripts", || check_types(checkout, &PROJECTS))
}

/// Each project is a folder with a `tsconfig.json`.
pub(crate) fn check_types(checkout: &Checkout, projects: &[&str]) -> Result<()> {
    for project in projects {
        call(cmd!(checkout, "tsc --noEmit --project {project}"))?;
    }
    Ok(())
}
