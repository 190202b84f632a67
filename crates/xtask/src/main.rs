//! `cargo xtask`: every developer command of the workspace.
//!
//! The commands install what they need into the checkout (`.tools/`, `node_modules/`), each version pinned by a lock
//! file, and skip every step whose result is up to date. Every failure ends in one line with the remedy.

mod bench;
mod browser;
mod build;
mod checkout;
mod client_dist;
mod dev;
mod ffmpeg;
mod function_order;
mod generate;
mod glue_imports;
mod lint;
mod mutants;
mod npm;
mod page_example;
mod playground_package;
mod process;
mod progress;
mod python;
mod screenshots;
mod settings;
mod short_names;
mod stamp;
mod test;
mod tools;
mod versions;

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
    /// Install, build and run everything: emulator, gateway and playground
    Dev,
    /// Build the example of a page in Rust and serve it, for the gateway of `cargo xtask dev`
    Page,
    /// Run the tests; `--all` adds what takes long
    Test(test::Options),
    /// Build the npm package, the playground and the gateway
    Build(build::Options),
    /// Check formatting, lints and words; `--fix` repairs what can be repaired
    Lint(lint::Options),
    /// Print the size of what a page downloads, and compare it with the budget
    Size(bench::SizeOptions),
    /// Measure client and gateway beside their peers: a table, JSON, and a page with plots
    Bench(bench::Options),
    /// Change the code in small ways, and show the changes that no test notices
    Mutants(mutants::Options),
    /// Retake the pictures of the playground in docs/
    Screenshots,
    /// Generate the npm package's types and form data from the catalogue
    Generate(generate::Options),
}

fn main() -> ExitCode {
    match run(Cli::parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) if process::is_interrupted() => {
            eprintln!("stopped");
            ExitCode::from(130)
        }
        Err(error) => {
            // The chain of causes on one line; never a backtrace.
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(command: Command) -> Result<()> {
    process::end_children_on_interrupt()?;
    let checkout = Checkout::find()?;
    match command {
        Command::Dev => dev::run(&checkout),
        Command::Page => page_example::run(&checkout),
        Command::Test(options) => test::run(&checkout, &options),
        Command::Build(options) => build::run(&checkout, &options),
        Command::Lint(options) => lint::run(&checkout, &options),
        Command::Size(options) => bench::size(&checkout, &options),
        Command::Bench(options) => bench::run(&checkout, &options),
        Command::Mutants(options) => mutants::run(&checkout, &options),
        Command::Screenshots => screenshots::run(&checkout),
        Command::Generate(options) => generate::run(&checkout, &options),
    }
}
