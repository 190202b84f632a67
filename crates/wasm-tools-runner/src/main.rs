//! The tools that turn Rust into the npm package, in one program: it is the
//! tool it is called as (`wasm-bindgen`, `wasm-bindgen-test-runner` or
//! `wasm-pack`). `Cargo.lock` pins them together with the libraries they
//! belong to, and nothing is downloaded but from the crate registry.
//!
//! One program and not one binary each: rustc refuses to build a crate named
//! `wasm_bindgen` whose version is older than 0.2.88, whatever is in it.

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::Parser;

fn main() -> ExitCode {
    env_logger::init();
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // The causes, but no backtrace: what failed is somebody's code, not this program.
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<()> {
    let arguments = std::env::args_os();
    match called_as().as_str() {
        "wasm-bindgen" => wasm_bindgen_cli::wasm_bindgen::run_cli_with_args(arguments),
        "wasm-bindgen-test-runner" => wasm_bindgen_cli::wasm_bindgen_test_runner::run_cli_with_args(arguments),
        "wasm-pack" => wasm_pack(),
        other => bail!(
            "`{other}` is none of wasm-bindgen, wasm-bindgen-test-runner and wasm-pack; \
             `cargo xtask build` installs this program under those names in .tools/bin"
        ),
    }
}

/// The name of the program in the command line, without folder and extension.
fn called_as() -> String {
    let program = std::env::args_os().next().unwrap_or_default();
    Path::new(&program).file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
}

/// What wasm-pack's own entry point does, less its question to the registry
/// for a newer release on every start: a build needs no network.
fn wasm_pack() -> Result<()> {
    let arguments = wasm_pack::Cli::parse();
    wasm_pack::PBAR.set_log_level(arguments.log_level);
    wasm_pack::PBAR.set_quiet(arguments.quiet);
    wasm_pack::command::run_wasm_pack(arguments.cmd)
}
