//! Paths in the checkout.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

use anyhow::{Context, Result};

/// The folders of this checkout.
#[derive(Debug, Clone)]
pub(crate) struct Checkout {
    root: PathBuf,
    target: PathBuf,
}

impl Checkout {
    /// Returns the checkout that `cargo run` started this program in, or else the checkout that it
    /// was built from.
    pub(crate) fn find() -> Result<Self> {
        let manifest = env::var_os("CARGO_MANIFEST_DIR")
            .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
        let root = manifest
            .ancestors()
            .nth(2)
            .context("xtask is not in crates/xtask; run `cargo xtask` in the checkout")?;
        // The program's own path shows the target folder. CARGO_TARGET_DIR or a user's
        // configuration may have moved it out of the checkout.
        let program = env::current_exe()
            .context("this program has no path; run `cargo xtask` in the checkout")?;
        let target = program
            .ancestors()
            .nth(2)
            .context("xtask is not in a target folder; run it as `cargo xtask`")?;
        Ok(Self {
            root: root.to_owned(),
            target: target.to_owned(),
        })
    }

    /// Returns the root of the checkout.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the absolute path for a path from the checkout's root.
    pub(crate) fn path(&self, relative: impl AsRef<Path>) -> PathBuf {
        self.root.join(relative)
    }

    /// Returns the paths of a folder's entries, in order. `folder` is a path from the checkout's
    /// root.
    pub(crate) fn entries(&self, folder: &str) -> Result<Vec<PathBuf>> {
        let list = || {
            fs::read_dir(self.path(folder))?
                .map(|entry| Ok(entry?.path()))
                .collect::<io::Result<Vec<_>>>()
        };
        let mut paths = list().with_context(|| format!("{folder} cannot be read"))?;
        paths.sort();
        Ok(paths)
    }

    /// Returns cargo's target folder.
    pub(crate) fn target(&self) -> &Path {
        &self.target
    }

    /// Returns the path of a native program that cargo builds in the dev profile.
    pub(crate) fn program(&self, name: &str) -> PathBuf {
        self.target
            .join("debug")
            .join(format!("{name}{}", env::consts::EXE_SUFFIX))
    }

    /// Returns the path of a tool in `.tools/bin`, where this checkout installs its tools.
    pub(crate) fn tool(&self, name: &str) -> PathBuf {
        self.path(".tools/bin")
            .join(format!("{name}{}", env::consts::EXE_SUFFIX))
    }
}
