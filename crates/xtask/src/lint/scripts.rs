//! Biome and TypeScript, for JavaScript, TypeScript, CSS, JSON and HTML.

use anyhow::Result;

use crate::checkout::Checkout;
use crate::progress::step;
use crate::{npm, process};

/// The projects whose types need no built file. The step `scripts` of `cargo xtask test` checks all
/// further projects.
const PROJECTS: [&str; 2] = ["crates/platform", "tests/bench/gateway"];

/// Checks formatting, lints and the order of imports, then types.
pub(crate) fn run(checkout: &Checkout, fix: bool) -> Result<()> {
    step("formatting and lints of scripts", || biome(checkout, fix))?;
    step("types of scripts", || check_types(checkout, &PROJECTS))
}

fn biome(checkout: &Checkout, fix: bool) -> Result<()> {
    let mut biome = npm::script(checkout, "@biomejs/biome/bin/biome");
    biome.args(["check", "--error-on-warnings"]);
    if fix {
        biome.arg("--write");
    }
    process::run(
        "biome check (`cargo xtask lint --fix` repairs formatting, imports and some lints)",
        biome,
    )
}

/// Checks the types of projects, each a folder with a `tsconfig.json`.
pub(crate) fn check_types(checkout: &Checkout, projects: &[&str]) -> Result<()> {
    projects.iter().try_for_each(|project| {
        let mut tsc = npm::script(checkout, "typescript/bin/tsc");
        tsc.args(["--noEmit", "--project", project]);
        process::run(&format!("tsc --project {project}"), tsc)
    })
}
