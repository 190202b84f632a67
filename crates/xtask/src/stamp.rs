//! Skips a step if its outputs exist, and its inputs have not changed since it succeeded.
//!
//! A stamp compares contents instead of times, so that a cache is valid in a new clone.

use std::collections::hash_map::DefaultHasher;
use std::fs;
use std::hash::{Hash, Hasher};
use std::path::Path;

use anyhow::{Context, Result};
use walkdir::{DirEntry, WalkDir};

use crate::checkout::Checkout;
use crate::progress::step;

/// Generated folders. They are not part of an input, unless they are an input by themselves.
const GENERATED: [&str; 5] = ["target", "node_modules", "build", "dist", "generated"];

/// The inputs and outputs of a step: files and folders, as paths from the checkout's root. Inputs
/// may be missing.
pub(crate) struct Stamp<'a> {
    pub(crate) name: &'a str,
    /// Any further input, such as a flag.
    pub(crate) setting: &'a str,
    pub(crate) inputs: &'a [&'a str],
    pub(crate) outputs: &'a [&'a str],
}

impl Stamp<'_> {
    pub(crate) fn unless_fresh(
        &self,
        checkout: &Checkout,
        work: impl FnOnce() -> Result<()>,
    ) -> Result<()> {
        let mut hasher = DefaultHasher::new();
        self.setting.hash(&mut hasher);
        for input in self.inputs {
            hash_tree(&checkout.path(input), &mut hasher)
                .with_context(|| format!("{input} cannot be read"))?;
        }
        let fingerprint = format!("{:016x}", hasher.finish());
        let file = format!(".tools/stamps/{}", self.name.replace('/', "-"));
        let shell = &checkout.shell;
        let is_fresh = self
            .outputs
            .iter()
            .all(|output| checkout.path(output).exists())
            && shell
                .read_file(&file)
                .is_ok_and(|stored| stored == fingerprint);
        if is_fresh {
            return Ok(());
        }
        step(self.name, work)?;
        Ok(shell.write_file(&file, fingerprint)?)
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

    #[test]
    fn names_and_contents_of_sources_count() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let fingerprint = || {
            let mut hasher = DefaultHasher::new();
            hash_tree(root, &mut hasher).unwrap();
            hasher.finish()
        };
        fs::write(root.join("lib.rs"), "one").unwrap();
        let first = fingerprint();
        fs::create_dir(root.join("dist")).unwrap();
        fs::write(root.join("dist/made.js"), "made").unwrap();
        assert_eq!(fingerprint(), first);
        fs::write(root.join("lib.rs"), "two").unwrap();
        let second = fingerprint();
        assert_ne!(second, first);
        fs::rename(root.join("lib.rs"), root.join("main.rs")).unwrap();
        assert_ne!(fingerprint(), second);
    }
}
