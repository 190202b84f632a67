//! The API reference in `docs/api`, which TypeDoc generates from the types of the built package.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::checkout::Checkout;
use crate::{npm, process};

/// The folder of the reference.
const FOLDER: &str = "docs/api";
/// A file of types that only a build writes.
const BUILT: &str = "pkg/dist/mediagate.d.ts";

/// The pages: their names and contents.
type Pages = BTreeMap<String, String>;

/// Writes the reference.
///
/// # Errors
/// When the package is not built, or TypeDoc reports a warning.
pub(super) fn write(checkout: &Checkout) -> Result<()> {
    let pages = generate(checkout)?;
    let folder = checkout.path(FOLDER);
    if pages != read(&folder)? {
        if folder.exists() {
            fs::remove_dir_all(&folder)?;
        }
        fs::create_dir_all(&folder)?;
        pages.iter().try_for_each(|(name, text)| fs::write(folder.join(name), text))?;
        println!("✓ {FOLDER} written");
    }
    Ok(())
}

/// Compares the reference with the types.
///
/// # Errors
/// When it is stale, the package is not built, or TypeDoc reports a warning.
pub(super) fn check(checkout: &Checkout) -> Result<()> {
    if generate(checkout)? == read(&checkout.path(FOLDER))? {
        return Ok(());
    }
    bail!("{FOLDER} is stale; run `cargo xtask build`, then `cargo xtask generate`")
}

fn generate(checkout: &Checkout) -> Result<Pages> {
    if !checkout.path(BUILT).exists() {
        bail!("{BUILT} is missing; run `cargo xtask build` first");
    }
    npm::ensure(checkout)?;
    let folder = checkout.path("target/api-reference");
    let mut typedoc = npm::script(checkout, "../docs/node_modules/typedoc/bin/typedoc");
    typedoc.args(["--options", "docs/typedoc.json", "--logLevel", "Warn", "--out"]).arg(&folder);
    // It sorts, and changes the case of names, as the machine's language does.
    typedoc.env("LC_ALL", "C");
    process::run("typedoc", typedoc)?;
    read(&folder)
}

fn read(folder: &Path) -> Result<Pages> {
    let Ok(entries) = fs::read_dir(folder) else { return Ok(Pages::new()) };
    entries
        .map(|entry| {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let text = fs::read_to_string(&path).with_context(|| format!("{} cannot be read", path.display()))?;
            Ok((name, text))
        })
        .collect()
}
