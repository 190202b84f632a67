//! Builds the programs of later steps, and installs tools into `.tools/cargo`. Lock files pin
//! them, and they come only from package registries.

use anyhow::Result;
use xshell::cmd;

use crate::checkout::Checkout;
use crate::npm;
use crate::process::{both, call};
use crate::progress::step;

pub(crate) const EMULATOR: &str = "mediagate-emulator";
const WASM_PACK: &str = "0.15.1";

/// Installs the npm packages, and builds the programs of later steps.
pub(crate) fn ensure(checkout: &Checkout) -> Result<()> {
    both(checkout, npm::ensure, |checkout| {
        // Without `--package`, the dependencies have the features that the whole workspace gives
        // them, and are compiled only once.
        let programs = ["bind-wasm", EMULATOR, "mediagate-generate"];
        let arguments = programs.iter().flat_map(|name| ["--bin", name]);
        call(cmd!(checkout, "cargo build {arguments...}"))
    })
}

/// Installs an exact version of a crate's programs with its published lock file, unless cargo has
/// done so. Installs them without the file if that fails: a registry may lack a version in it.
pub(crate) fn ensure_cargo_tool(checkout: &Checkout, name: &str, version: &str) -> Result<()> {
    let install = |lock: Option<&str>| {
        let options = ["--debug", "--root", ".tools/cargo"];
        let install = cmd!(
            checkout,
            "cargo install {name}@{version} {lock...} {options...}"
        );
        call(install.env("CARGO_PROFILE_DEV_DEBUG", "0"))
    };
    install(Some("--locked")).or_else(|_| install(None))
}

/// Builds the example of a page in Rust as users build theirs. Its tests need the test runner of
/// wasm-bindgen, at the version of the library.
pub(crate) fn build_page_example(checkout: &Checkout) -> Result<()> {
    let library = cmd!(checkout, "cargo pkgid wasm-bindgen").read()?;
    let version = library.rsplit(['@', '#']).next().unwrap_or_default();
    ensure_cargo_tool(checkout, "wasm-bindgen-cli", version)?;
    ensure_cargo_tool(checkout, "wasm-pack", WASM_PACK)?;
    let options = ["--target", "web", "--dev", "--mode", "no-install"];
    step("building the example of a page", || {
        call(cmd!(checkout, "wasm-pack build examples/page {options...}"))
    })
}
