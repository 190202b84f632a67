//! `cargo xtask lint`: checks formatting, lints and types of Rust and of the scripts.

mod rust;
mod scripts;

use std::panic::resume_unwind;
use std::thread;

use anyhow::Result;
use clap::Args;

pub(crate) use self::scripts::{check_types, run as scripts};
use crate::checkout::Checkout;
use crate::npm;
use crate::progress::step;

/// The options of `cargo xtask lint`.
#[derive(Args, Debug, Default)]
pub(crate) struct Options {
    /// Repair formatting, imports and some lints
    #[arg(long)]
    fix: bool,
}

/// Checks formatting, lints with warnings denied, and types that need no build.
pub(crate) fn run(checkout: &Checkout, options: &Options) -> Result<()> {
    step("formatting of Rust", || rust::format(checkout, options.fix))?;
    // Clippy needs the cores and npm the network, so they run at once.
    let (clippy, packages) = thread::scope(|scope| {
        let packages = scope.spawn(|| npm::ensure(checkout));
        (rust::clippy(checkout, options.fix), packages.join())
    });
    clippy?;
    packages.unwrap_or_else(|panic| resume_unwind(panic))?;
    self::scripts::run(checkout, options.fix)
}
