//! `cargo xtask dev`: runs the gateway, the emulator and the playground on this machine, by
//! `mediagate-gateway dev`.

use std::ffi::OsString;
use std::time::Duration;

use anyhow::Result;

use crate::checkout::Checkout;
use crate::{build, process, tools};

/// The timeout of a command that runs until Ctrl-C. `Instant` cannot add `Duration::MAX`.
const YEAR: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// Builds every part whose inputs have changed, without optimisation, and runs them until Ctrl-C.
pub(crate) fn run(checkout: &Checkout, arguments: &[OsString]) -> Result<()> {
    build::run(checkout, build::Options { dev: true })?;
    let mut dev = tools::command(checkout, "node")?;
    dev.args(["gateway/bin/mediagate-gateway.js", "dev"])
        .args(arguments)
        .env("MEDIAGATE_EMULATOR", checkout.program(tools::EMULATOR));
    process::run_within("mediagate-gateway dev", dev, YEAR)
}
