//! Builds a Cloudflare Worker from Rust with cargo, wasm-bindgen, wasm-opt and esbuild.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use crate::checkout::Checkout;
use crate::{npm, process, tools, wasm};

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
        let built = wasm::compile(checkout, self.package, dev, tools::optimise_for_speed)?;
        let folder = checkout.target().join("workers").join(self.out);
        wasm::bind(checkout, "worker", &built, &folder, "index", dev)?;
        import_module(&folder.join("index.js"))?;
        if !dev && self.is_deployed {
            // The default of wasm-opt, `-O`, takes half a minute longer than `-O1`, for a Worker
            // that is 2 % smaller after compression and no faster.
            wasm::optimise(checkout, &folder.join("index_bg.wasm"), &["-O1"])?;
        }
        bundle(checkout, &folder, &checkout.path(self.out))
    }
}

/// Makes a script import its module without a phase. In workerd, a plain import of a wasm file is
/// the compiled module.
fn import_module(script: &Path) -> Result<()> {
    let text = fs::read_to_string(script).context("wasm-bindgen has written no index.js")?;
    fs::write(script, text.replace("import source ", "import "))
        .context("index.js cannot be written")
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
