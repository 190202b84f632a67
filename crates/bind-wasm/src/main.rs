//! Writes the JavaScript that loads a wasm module, and the module without the private sections of
//! wasm-bindgen.

use std::path::PathBuf;

use anyhow::Result;
use clap::{Parser, ValueEnum};
use wasm_bindgen_cli_support::Bindgen;

/// The host that loads the module.
#[derive(Clone, Copy, ValueEnum)]
enum Host {
    /// A page or a program, which names the module's file. There are types.
    Script,
    /// A Cloudflare Worker. `__wbg_reset_state` replaces the instance after a panic.
    Worker,
}

/// Writes the JavaScript that loads a module of wasm-bindgen.
#[derive(Parser)]
struct Arguments {
    /// The host that loads the module
    host: Host,
    /// The module that cargo has built
    wasm: PathBuf,
    /// The folder of the written files
    folder: PathBuf,
    /// The name of the written files, without an extension
    name: String,
    /// Check arguments in the JavaScript
    #[arg(long)]
    debug: bool,
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let mut bindgen = Bindgen::new();
    bindgen
        .input_path(&arguments.wasm)
        .out_name(&arguments.name)
        .debug(arguments.debug);
    match arguments.host {
        Host::Script => bindgen
            .web(true)?
            .typescript(true)
            // A second reference to the module would add a second file to every bundle.
            .omit_default_module_path(true),
        Host::Worker => bindgen
            .module(true)?
            .typescript(false)
            .reset_state_function(true)
            .force_enable_abort_handler(true),
    };
    bindgen.generate(&arguments.folder)
}
