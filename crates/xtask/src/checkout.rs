//! Paths in the checkout.

use std::env;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// The folders of this checkout.
#[derive(Debug, Clone)]
pub(crate) struct Checkout {
    root: PathBuf,
    target: PathBuf,
}

impl Checkout {
    /// The checkout that this program was started in by `cargo run`, or else built from.
    ///
    /// # Errors
    /// When the program was moved out of cargo's target folder.
    pub(crate) fn find() -> Result<Self> {
        let manifest = env::var_os("CARGO_MANIFEST_DIR")
            .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
        let root = manifest
            .ancestors()
            .nth(2)
            .context("xtask is not in crates/xtask; run `cargo xtask` in the checkout")?;
        // This program is in the target folder, wherever CARGO_TARGET_DIR or a user's configuration put it.
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

    /// The root of the checkout.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// The absolute path of one relative to the checkout's root.
    pub(crate) fn path(&self, relative: impl AsRef<Path>) -> PathBuf {
        self.root.join(relative)
    }

    /// Cargo's target folder.
    pub(crate) fn target(&self) -> &Path {
        &self.target
    }

    /// The path of a native program that cargo builds in the dev profile.
    pub(crate) fn program(&self, name: &str) -> PathBuf {
        self.target
            .join("debug")
            .join(format!("{name}{}", env::consts::EXE_SUFFIX))
    }

    /// The path of a tool installed for this checkout, in `.tools/bin`.
    pub(crate) fn tool(&self, name: &str) -> PathBuf {
        self.path(".tools/bin")
            .join(format!("{name}{}", env::consts::EXE_SUFFIX))
    }
}
