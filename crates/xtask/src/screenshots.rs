//! `cargo xtask screenshots`: takes the pictures of the playground in `docs/` again.

use anyhow::Result;

use crate::checkout::Checkout;
use crate::{browser, build, process, tools};

/// Builds the playground and takes the pictures.
pub(crate) fn run(checkout: &Checkout) -> Result<()> {
    build::run(checkout, build::Options::default())?;
    let mut node = tools::command(checkout, "node")?;
    node.arg("tests/e2e/screenshot.mjs")
        .env("CHROME", browser::ensure()?)
        .env("MEDIAGATE_EMULATOR", checkout.program(tools::EMULATOR));
    process::run("node tests/e2e/screenshot.mjs", node)
}
