//! `cargo xtask generate`: what the npm package carries of the catalogue.
//!
//! `capabilities.d.ts` has the types of every request with the docs a person
//! sees on hover; `catalogue.json` is the catalogue as data, for forms. Of all
//! types together the API reference in `docs/api` is made.

mod catalogue;
mod reference;
mod types;

use std::fs;

use anyhow::{Context, Result, bail};
use clap::Args;
use mediagate_core::CAPABILITIES;

use crate::checkout::Checkout;

/// Whether to write, or only to compare.
#[derive(Args, Debug)]
pub(crate) struct Options {
    /// Write nothing; fail where a file is missing or stale
    #[arg(long)]
    check: bool,
}

/// Writes the files, or with `--check` fails where one is stale.
///
/// # Errors
/// When one cannot be written, or is stale.
pub(crate) fn run(checkout: &Checkout, options: &Options) -> Result<()> {
    if options.check {
        return check(checkout);
    }
    write(checkout)?;
    reference::write(checkout)
}

/// Writes each file that is not what the catalogue makes of it.
///
/// # Errors
/// When one cannot be written.
pub(crate) fn write(checkout: &Checkout) -> Result<()> {
    for (file, text) in files()? {
        let path = checkout.path(file);
        // An untouched file keeps what is built from it fresh.
        if fs::read_to_string(&path).is_ok_and(|present| present == text) {
            continue;
        }
        fs::create_dir_all(checkout.path("pkg/dist"))
            .and_then(|()| fs::write(&path, text))
            .with_context(|| format!("{file} cannot be written"))?;
        println!("✓ {file} written");
    }
    Ok(())
}

/// Fails where a file is missing or stale. The package must be built.
///
/// # Errors
/// When one is.
pub(crate) fn check(checkout: &Checkout) -> Result<()> {
    for (file, text) in files()? {
        if fs::read_to_string(checkout.path(file)).ok().as_deref() != Some(&text) {
            bail!("{file} is missing or stale; run `cargo xtask generate`");
        }
    }
    reference::check(checkout)
}

/// The generated files, from the root of the checkout, with their text.
fn files() -> Result<[(&'static str, String); 2]> {
    Ok([
        ("pkg/dist/capabilities.d.ts", types::render(CAPABILITIES)),
        ("pkg/dist/catalogue.json", catalogue::render(CAPABILITIES)?),
    ])
}
