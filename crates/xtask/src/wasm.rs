//! The steps from a crate to a wasm module and its JavaScript: cargo, wasm-bindgen and wasm-opt.
//! wasm-pack takes the same steps, but it cannot make a Worker, and a new machine would compile its
//! libraries.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use crate::checkout::Checkout;
use crate::{npm, process, tools};

/// Compiles a crate, and returns the path of its module. `release` adds the settings of a release.
///
/// # Errors
/// If the crate does not compile.
pub(crate) fn compile(
    checkout: &Checkout,
    package: &str,
    dev: bool,
    release: impl FnOnce(&mut Command) -> Result<()>,
) -> Result<PathBuf> {
    let mut build = tools::cargo(checkout);
    build.args(["build", "--lib", "--target", tools::WASM]);
    build.args(["--package", package]);
    // What ships is compiled by the compiler, even where clippy takes its place for the tests.
    build.env_remove("RUSTC_WORKSPACE_WRAPPER");
    if !dev {
        build.arg("--release");
        release(&mut build)?;
    }
    process::run("cargo build", build)?;
    let profile = if dev { "debug" } else { "release" };
    Ok(checkout
        .target()
        .join(tools::WASM)
        .join(profile)
        .join(package.replace('-', "_"))
        .with_extension("wasm"))
}

/// Writes the module and its JavaScript into `folder`: `name_bg.wasm`, `name.js`, and types for a
/// script. `host` is one of the program's.
///
/// # Errors
/// If the module is not one of this version of wasm-bindgen.
pub(crate) fn bind(
    checkout: &Checkout,
    host: &str,
    wasm: &Path,
    folder: &Path,
    name: &str,
    dev: bool,
) -> Result<()> {
    let mut bind = tools::command(checkout, checkout.program(tools::BINDER))?;
    bind.arg(host).args([wasm, folder]).arg(name);
    if dev {
        bind.arg("--debug");
    }
    process::run(tools::BINDER, bind)
}

/// The wasm features that the compiler and wasm-bindgen use, which workerd and browsers have had
/// for years. `--all-features` would also enable encodings that neither reads yet.
const FEATURES: [&str; 8] = [
    "bulk-memory",
    "bulk-memory-opt",
    "exception-handling",
    "multivalue",
    "mutable-globals",
    "nontrapping-float-to-int",
    "reference-types",
    "sign-ext",
];

/// Optimises a module in place.
///
/// # Errors
/// If wasm-opt cannot read the module.
pub(crate) fn optimise(checkout: &Checkout, wasm: &Path, flags: &[&str]) -> Result<()> {
    let mut optimise = tools::command(checkout, npm::bin(checkout, "wasm-opt"))?;
    optimise
        .args(FEATURES.map(|feature| format!("--enable-{feature}")))
        .args(flags)
        .arg("-o")
        .args([wasm, wasm]);
    process::run("wasm-opt", optimise)
}
