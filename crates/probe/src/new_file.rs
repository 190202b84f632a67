//! The file for what is found.

use std::fs::{File, OpenOptions};
use std::path::Path;

use anyhow::{Context, Result};

/// Makes the new file, before anything is sent: what is found must have a place.
///
/// # Errors
/// When there is one already, or it can't be made.
pub fn make_new(path: &Path) -> Result<File> {
    let shown = path.display();
    let file = OpenOptions::new().write(true).create_new(true).open(path);
    file.with_context(|| format!("{shown} can't be made; give another file with --output"))
}
