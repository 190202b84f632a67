//! The output of what runs beside something else: in a file first, and shown at its end, so that lines of two do not mix.

use std::fs::{self, File};
use std::io;
use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::checkout::Checkout;

/// Where the files are.
const FOLDER: &str = ".tools/beside";

/// The file of this name, twice: for standard output and for errors.
///
/// # Errors
/// When it cannot be written.
pub(super) fn open(checkout: &Checkout, name: &str) -> Result<[File; 2]> {
    let path = path(checkout, name);
    let open = || {
        fs::create_dir_all(checkout.path(FOLDER))?;
        let file = File::create(&path)?;
        Ok::<_, io::Error>([file.try_clone()?, file])
    };
    open().with_context(|| format!("{} cannot be written", path.display()))
}

/// Shows what was written to the file of this name.
pub(super) fn show(checkout: &Checkout, name: &str) {
    let output = fs::read_to_string(path(checkout, name)).unwrap_or_default();
    println!("\n{}", output.trim_end());
}

fn path(checkout: &Checkout, name: &str) -> PathBuf {
    checkout.path(FOLDER).join(format!("{name}.log"))
}
