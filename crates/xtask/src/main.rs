//! `cargo xtask`: every developer command of the workspace.
//!
//! The commands install their tools into the checkout (`.tools/`, `node_modules/`). Lock files pin
//! each version. A step is skipped if its result is up to date. Every failure ends in one line with
//! the remedy.

mod browser;
mod build;
mod checkout;
mod commands;
mod ffmpeg;
mod lint;
mod npm;
mod process;
mod progress;
mod python;
mod stamp;
mod test;
mod tools;
mod wasm;

use std::ffi::OsString;
use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};

use crate::checkout::Checkout;

/// Every developer command of Mediagate.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Install, build and run emulator, gateway and playground
    Dev {
        /// Options of `mediagate-gateway dev`: `--port 9000`, `--host 0.0.0.0`, `--upstream URL`.
        /// After a build, `node gateway/bin/mediagate-gateway.js dev --help` lists all
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<OsString>,
    },
    /// Build the example of a page in Rust and serve it, for the gateway of `cargo xtask dev`
    Page,
    /// Run the tests of CI; `--long` runs those that take too long for every change
    Test(test::Options),
    /// Build the npm package, the playground and the gateway
    Build(build::Options),
    /// Check formatting, lints and types; `--fix` repairs formatting, imports and some lints
    Lint(lint::Options),
    /// Print the size of a page's downloads, as `bench --only bytes` does
    Size,
    /// Measure client and gateway beside their peers: a table, JSON, and a page with plots
    Bench {
        /// `--quick` for fewer rounds and smaller files, `--only NAME` for one measurement
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<OsString>,
    },
    /// Retake the pictures of the playground in docs/
    Screenshots,
    /// Write the types, form data and requests that come from the catalogue
    Generate,
}

fn main() -> ExitCode {
    match run(Cli::parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) if process::is_interrupted() => {
            eprintln!("stopped");
            ExitCode::from(130)
        }
        Err(error) => {
            // The chain of causes on one line. A backtrace would only show code of this program.
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(command: Command) -> Result<()> {
    process::end_children_on_interrupt()?;
    let checkout = Checkout::find()?;
    match command {
        Command::Dev { arguments } => commands::dev(&checkout, &arguments),
        Command::Page => commands::page(&checkout),
        Command::Test(options) => test::run(&checkout, &options),
        Command::Build(options) => build::run(&checkout, options),
        Command::Lint(options) => lint::run(&checkout, &options),
        Command::Size => commands::bench(&checkout, &["--only".into(), "bytes".into()]),
        Command::Bench { arguments } => commands::bench(&checkout, &arguments),
        Command::Screenshots => commands::screenshots(&checkout),
        Command::Generate => {
            tools::ensure(&checkout).and_then(|()| build::generate(&checkout, None))
        }
    }
}
