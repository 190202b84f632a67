//! Stamps of steps, which show if a step can be skipped: its outputs exist, and its inputs have not
//! changed since it succeeded.
//!
//! A stamp compares contents instead of times, so that a cache is valid in a new clone.

use std::collections::hash_map::DefaultHasher;
use std::fs;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use walkdir::{DirEntry, WalkDir};

use crate::checkout::Checkout;
use crate::progress::step;

/// Generated folders. They are not part of an input, unless they are an input by themselves.
const GENERATED: [&str; 5] = ["target", "node_modules", "build", "dist", ".wrangler"];

/// The fingerprint of a step's inputs, its outputs, and the file that stores the last fingerprint.
#[derive(Debug)]
pub(crate) struct Stamp {
    file: PathBuf,
    fingerprint: String,
    outputs: Vec<PathBuf>,
}

impl Stamp {
    /// Returns the stamp of a step. `inputs` (files and folders, which may be missing) and
    /// `outputs` are paths from the checkout's root. `setting` is any other input, such as a flag.
    pub(crate) fn new(
        checkout: &Checkout,
        step: &str,
        setting: &str,
        inputs: &[&str],
        outputs: &[&str],
    ) -> Result<Self> {
        let mut hasher = DefaultHasher::new();
        setting.hash(&mut hasher);
        for input in inputs {
            hash_tree(&checkout.path(input), &mut hasher)
                .with_context(|| format!("{input} cannot be read"))?;
        }
        Ok(Self {
            file: checkout.path(".tools/stamps").join(step),
            fingerprint: format!("{:016x}", hasher.finish()),
            outputs: outputs.iter().map(|output| checkout.path(output)).collect(),
        })
    }

    /// Runs the step unless it can be skipped, and records its success.
    pub(crate) fn unless_fresh(&self, what: &str, work: impl FnOnce() -> Result<()>) -> Result<()> {
        if self.is_fresh() {
            return Ok(());
        }
        step(what, work)?;
        self.record()
    }

    /// Returns true if the step can be skipped.
    pub(crate) fn is_fresh(&self) -> bool {
        self.outputs.iter().all(|output| output.exists())
            && fs::read_to_string(&self.file).is_ok_and(|stored| stored == self.fingerprint)
    }

    /// Records that the step succeeded.
    pub(crate) fn record(&self) -> Result<()> {
        let folder = self.file.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(folder)
            .and_then(|()| fs::write(&self.file, &self.fingerprint))
            .with_context(|| format!("{} cannot be written", self.file.display()))
    }
}

fn hash_tree(root: &Path, hasher: &mut impl Hasher) -> Result<()> {
    if !root.exists() {
        return Ok(());
    }
    let is_source = |entry: &DirEntry| {
        entry.depth() == 0 || !GENERATED.iter().any(|name| entry.file_name() == *name)
    };
    for entry in WalkDir::new(root)
        .sort_by_file_name()
        .into_iter()
        .filter_entry(is_source)
    {
        let entry = entry?;
        if entry.file_type().is_file() {
            // The path counts too, or a renamed file would go unnoticed.
            entry.path().strip_prefix(root)?.hash(hasher);
            fs::read(entry.path())?.hash(hasher);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fingerprint(root: &Path) -> u64 {
        let mut hasher = DefaultHasher::new();
        hash_tree(root, &mut hasher).unwrap();
        hasher.finish()
    }

    #[test]
    fn generated_folders_are_ignored() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        fs::write(root.join("lib.rs"), "one").unwrap();
        let before = fingerprint(root);
        fs::create_dir(root.join("dist")).unwrap();
        fs::write(root.join("dist/made.js"), "made").unwrap();
        assert_eq!(fingerprint(root), before);
        fs::write(root.join("lib.rs"), "two").unwrap();
        assert_ne!(fingerprint(root), before);
    }

    #[test]
    fn a_renamed_file_changes_the_fingerprint() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        fs::write(root.join("a"), "same").unwrap();
        let before = fingerprint(root);
        fs::rename(root.join("a"), root.join("b")).unwrap();
        assert_ne!(fingerprint(root), before);
    }

    #[test]
    fn a_missing_input_counts_as_empty() {
        assert_eq!(
            fingerprint(Path::new("no/such/folder")),
            DefaultHasher::new().finish()
        );
    }
}
