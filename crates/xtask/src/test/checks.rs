//! The steps that check documentation and dependencies.

use anyhow::Result;

use super::options::Options;
use crate::checkout::Checkout;
use crate::{lint, process, tools};

/// The version of cargo-deny: the latest release that the pinned compiler can build.
const CARGO_DENY: &str = "0.20.2";

pub(super) fn lint(checkout: &Checkout, _: &Options) -> Result<()> {
    lint::run(checkout, &lint::Options::default())
}

pub(super) fn docs(checkout: &Checkout, _: &Options) -> Result<()> {
    let all = ["--workspace", "--document-private-items"];
    // The parts that exist only on a page.
    let page = [
        "--package",
        "mediagate",
        "--target",
        "wasm32-unknown-unknown",
    ];
    for packages in [&all[..], &page[..]] {
        let mut doc = tools::cargo(checkout);
        doc.args(["doc", "--quiet", "--no-deps"])
            .args(packages)
            .env("RUSTDOCFLAGS", "--deny warnings");
        process::run("cargo doc", doc)?;
    }
    Ok(())
}

pub(super) fn deny(checkout: &Checkout, _: &Options) -> Result<()> {
    tools::ensure_cargo_tool(checkout, "cargo-deny", "cargo-deny", CARGO_DENY)?;
    let cargo_deny = |arguments: &[&str]| {
        let mut command = tools::command(checkout, checkout.tool("cargo-deny"))?;
        command.args(arguments);
        anyhow::Ok(command)
    };
    process::run(
        "cargo deny",
        cargo_deny(&[
            "--log-level",
            "error",
            "check",
            "bans",
            "licenses",
            "sources",
        ])?,
    )?;
    // The advisories are in a Git repository. If it cannot be fetched, all further checks still
    // count.
    if process::read(
        "cargo deny fetch",
        &mut cargo_deny(&["--log-level", "off", "fetch", "db"])?,
    )
    .is_err()
    {
        println!("  advisories not checked: their database cannot be fetched here");
        return Ok(());
    }
    process::run(
        "cargo deny check advisories",
        cargo_deny(&["check", "--disable-fetch", "advisories"])?,
    )
}
