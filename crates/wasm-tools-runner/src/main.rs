//! The command line tools that build the npm package and run tests on wasm. The name of the program
//! on the command line selects the tool: `wasm-bindgen`, `wasm-bindgen-test-runner` or `wasm-pack`.
//! `Cargo.lock` pins the tools together with their libraries, and all come from the crate registry.
//!
//! The tools share a program, as rustc builds no crate named `wasm_bindgen` whose version is below
//! 0.2.88. A binary for each tool would be such a crate, with the version of this workspace.

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::Parser;

fn main() -> ExitCode {
    env_logger::init();
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Without a backtrace, as the failure is in the code that is built, not in this
            // program.
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<()> {
    let arguments = std::env::args_os();
    match called_as().as_str() {
        "wasm-bindgen" => wasm_bindgen_cli::wasm_bindgen::run_cli_with_args(arguments),
        "wasm-bindgen-test-runner" => {
            wasm_bindgen_cli::wasm_bindgen_test_runner::run_cli_with_args(arguments)
        }
        "wasm-pack" => wasm_pack(),
        other => bail!(
            "`{other}` is not wasm-bindgen, wasm-bindgen-test-runner or wasm-pack; \
             `cargo xtask build` installs this program under those names in .tools/bin"
        ),
    }
}

/// Returns the name of the program on the command line, without folder and extension.
fn called_as() -> String {
    let program = std::env::args_os().next().unwrap_or_default();
    Path::new(&program)
        .file_stem()
        .map(|stem| stem.to_string_lossy().into_owned())
        .unwrap_or_default()
}

/// Runs wasm-pack without its check for a new release, so that a build needs no network.
fn wasm_pack() -> Result<()> {
    let arguments = wasm_pack::Cli::parse();
    wasm_pack::PBAR.set_log_level(arguments.log_level);
    wasm_pack::PBAR.set_quiet(arguments.quiet);
    wasm_pack::command::run_wasm_pack(arguments.cmd)
}
