//! Builds a Cloudflare Worker from Rust with cargo, wasm-bindgen, wasm-opt and esbuild.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use crate::checkout::Checkout;
use crate::{npm, process, tools};

/// The Worker's module. It imports the `index.js` of wasm-bindgen.
const ENTRY: &str = "crates/entry/src/entry.js";

/// A Worker. All paths are from the checkout's root.
pub(crate) struct Worker {
    pub(crate) name: &'static str,
    pub(crate) package: &'static str,
    /// The folder of the sources.
    pub(crate) folder: &'static str,
    /// True if wasm-opt optimises a release. It takes long, and only a Worker that is deployed
    /// needs it.
    pub(crate) is_deployed: bool,
    /// The folder of the output: `index.js` and `index_bg.wasm`.
    pub(crate) out: &'static str,
}

impl Worker {
    /// Compiles and bundles the Worker.
    ///
    /// # Errors
    /// If the Worker does not compile, or a tool fails.
    pub(crate) fn build(&self, checkout: &Checkout, dev: bool) -> Result<()> {
        let mut build = tools::cargo(checkout);
        build.args([
            "build",
            "--lib",
            "--target",
            tools::WASM,
            "--package",
            self.package,
        ]);
        if !dev {
            build.arg("--release");
            tools::optimise_for_speed(&mut build)?;
        }
        process::run("cargo build", build)?;
        let profile = if dev { "debug" } else { "release" };
        let built = checkout
            .target()
            .join(tools::WASM)
            .join(profile)
            .join(self.package.replace('-', "_"))
            .with_extension("wasm");
        let folder = checkout.target().join("workers").join(self.out);
        bind(checkout, &built, &folder)?;
        if !dev && self.is_deployed {
            optimise(checkout, &folder.join("index_bg.wasm"))?;
        }
        bundle(checkout, &folder, &checkout.path(self.out))
    }
}

/// Writes `index.js` and `index_bg.wasm`. `index.js` exports `__wbg_reset_state`, which replaces
/// the wasm's instance after a panic.
fn bind(checkout: &Checkout, wasm: &Path, folder: &Path) -> Result<()> {
    let mut bind = tools::command(checkout, checkout.tool("wasm-bindgen"))?;
    bind.args([
        "--target",
        "module",
        "--no-typescript",
        "--out-name",
        "index",
    ])
    .args([
        "--experimental-reset-state-function",
        "--force-enable-abort-handler",
        "--out-dir",
    ])
    .args([folder, wasm]);
    process::run("wasm-bindgen", bind)?;
    // In workerd, a plain import of a wasm file is the compiled module.
    let script = folder.join("index.js");
    let text = fs::read_to_string(&script).context("wasm-bindgen has written no index.js")?;
    fs::write(&script, text.replace("import source ", "import "))
        .context("index.js cannot be written")
}

/// The wasm features that the compiler and wasm-bindgen use. `--all-features` would enable features
/// that workerd does not support.
const FEATURES: [&str; 7] = [
    "bulk-memory",
    "exception-handling",
    "multivalue",
    "mutable-globals",
    "nontrapping-float-to-int",
    "reference-types",
    "sign-ext",
];

/// Optimises the wasm. The default of wasm-opt, `-O`, takes half a minute longer than `-O1`, for a
/// Worker that is 2 % smaller after compression and no faster.
fn optimise(checkout: &Checkout, wasm: &Path) -> Result<()> {
    let mut optimise = tools::command(checkout, npm::bin(checkout, "wasm-opt"))?;
    optimise
        .args(FEATURES.map(|feature| format!("--enable-{feature}")))
        .args(["-O1", "-o"])
        .args([wasm, wasm]);
    process::run("wasm-opt", optimise)
}

/// Bundles the scripts into one, beside the wasm.
fn bundle(checkout: &Checkout, folder: &Path, out: &Path) -> Result<()> {
    let copy = |from: &Path, to: &Path| {
        fs::copy(from, to).with_context(|| format!("{} cannot be written", to.display()))
    };
    let entry = folder.join("entry.js");
    copy(&checkout.path(ENTRY), &entry)?;
    fs::create_dir_all(out).with_context(|| format!("{} cannot be written", out.display()))?;
    copy(&folder.join("index_bg.wasm"), &out.join("index_bg.wasm"))?;
    let mut bundle = tools::command(checkout, npm::bin(checkout, "esbuild"))?;
    bundle
        .arg(entry)
        .args([
            "--bundle",
            "--format=esm",
            "--minify",
            "--log-level=warning",
        ])
        .args(["--external:./index_bg.wasm", "--external:cloudflare:*"])
        .arg(format!("--outfile={}", out.join("index.js").display()));
    process::run("esbuild", bundle)
}
