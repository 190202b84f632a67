//! The commands that build the parts and then run one program: `dev`, `page`, `screenshots`
//! and `bench`.

use std::ffi::{OsStr, OsString};

use anyhow::Result;
use xshell::cmd;

use crate::checkout::Checkout;
use crate::{browser, build, process, tools};

/// Runs the gateway, the emulator and the playground until Ctrl-C.
pub(crate) fn dev(checkout: &Checkout, arguments: &[OsString]) -> Result<()> {
    build::run(checkout, build::Options { dev: true })?;
    let dev = cmd!(
        checkout,
        "node gateway/bin/mediagate-gateway.js dev {arguments...}"
    );
    let emulator = checkout.program(tools::EMULATOR);
    process::call_until_interrupted(dev.env("MEDIAGATE_EMULATOR", emulator))
}

/// Builds the example of a page in Rust and serves it until Ctrl-C.
pub(crate) fn page(checkout: &Checkout) -> Result<()> {
    tools::ensure(checkout)?;
    tools::build_page_example(checkout)?;
    println!("  the page uses the gateway of `cargo xtask dev`; Ctrl-C ends it");
    process::call_until_interrupted(cmd!(checkout, "vite examples/page --host 127.0.0.1"))
}

pub(crate) fn screenshots(checkout: &Checkout) -> Result<()> {
    build::run(checkout, build::Options::default())?;
    let screenshots = cmd!(checkout, "node tests/e2e/screenshot.mjs")
        .env("CHROME", browser::ensure(checkout)?)
        .env("MEDIAGATE_EMULATOR", checkout.program(tools::EMULATOR));
    process::call(screenshots)
}

/// Measures the costs of client and gateway, beside the costs of their peers.
pub(crate) fn bench(checkout: &Checkout, arguments: &[OsString]) -> Result<()> {
    build::run(checkout, build::Options::default())?;
    measure(checkout, arguments)
}

/// Measures the parts as they are built. Steps of the tests must not build again, as cargo may be
/// busy with the Rust tests beside them.
pub(crate) fn measure(checkout: &Checkout, arguments: &[impl AsRef<OsStr>]) -> Result<()> {
    let measure = cmd!(checkout, "node tests/bench/run.mjs {arguments...}");
    process::call(measure.env("CHROME", browser::ensure(checkout)?))
}
