//! `cargo xtask generate`: the parts of the npm packages and of the crate `mediagate` that come from the catalogue.
//!
//! `capabilities.d.ts` has the types of every request, with the docs that an editor shows; `catalogue.json` is the
//! catalogue as data, for forms; `settings.json` has the names of the gateway's settings.

mod catalogue;
mod requests;
mod steps;
mod types;

use std::fs;

use anyhow::{Context, Result, bail};
use clap::Args;
use mediagate_core::CAPABILITIES;

use crate::checkout::Checkout;

/// Whether to write the files, or only to compare them.
#[derive(Args, Debug)]
pub(crate) struct Options {
    /// Write nothing; fail if a file is missing or stale
    #[arg(long)]
    check: bool,
}

/// Writes the files, or with `--check` compares them.
///
/// # Errors
/// When a file cannot be written, or is missing or stale.
pub(crate) fn run(checkout: &Checkout, options: &Options) -> Result<()> {
    if options.check {
        return check(checkout);
    }
    write(checkout)
}

/// Writes each file of the package whose content is not up to date.
///
/// # Errors
/// When one cannot be written.
pub(crate) fn write(checkout: &Checkout) -> Result<()> {
    for (file, text) in files()? {
        let path = checkout.path(&file);
        // Writing an unchanged file would make everything that is built from it stale.
        if fs::read_to_string(&path).is_ok_and(|present| present == text) {
            continue;
        }
        path.parent()
            .map_or(Ok(()), fs::create_dir_all)
            .and_then(|()| fs::write(&path, text))
            .with_context(|| format!("{file} cannot be written"))?;
        println!("✓ {file} written");
    }
    Ok(())
}

/// Compares all files.
///
/// # Errors
/// When a file is missing or stale.
pub(crate) fn check(checkout: &Checkout) -> Result<()> {
    for (file, text) in files()? {
        if fs::read_to_string(checkout.path(&file)).ok().as_deref() != Some(&text) {
            bail!("{file} is missing or stale; run `cargo xtask generate`");
        }
    }
    Ok(())
}

/// The generated files: their paths from the root of the checkout, and their contents.
fn files() -> Result<Vec<(String, String)>> {
    let mut files = requests::files(CAPABILITIES);
    files.extend([
        ("pkg/dist/capabilities.d.ts".to_owned(), types::render(CAPABILITIES) + &steps::render(CAPABILITIES)),
        ("pkg/dist/catalogue.json".to_owned(), catalogue::render(CAPABILITIES)?),
        ("gateway/dist/settings.json".to_owned(), serde_json::to_string(&mediagate_operator::settings::names())?),
    ]);
    Ok(files)
}
