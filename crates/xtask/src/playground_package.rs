//! Installs the packed npm package for the playground, so that a file missing from the package is missing there too.

use std::fs;
use std::path::{Component, Path, PathBuf};

use anyhow::{Context, Result, bail};
use flate2::read::GzDecoder;

use crate::checkout::Checkout;
use crate::{npm, process};

/// The folder that the playground's `import … from "mediagate"` resolves to.
const FOLDER: &str = "www/node_modules/mediagate";
/// A file of the installed package.
pub(crate) const MANIFEST: &str = "www/node_modules/mediagate/package.json";

/// Packs the package and unpacks the tarball for the playground, replacing an earlier one.
///
/// # Errors
/// When npm cannot pack it, or its tarball cannot be read.
pub(crate) fn install(checkout: &Checkout) -> Result<()> {
    let packed = checkout.path(".tools/packed");
    empty(&packed)?;
    let mut pack = npm::npm(checkout.root())?;
    pack.args(["pack", "--workspace", "mediagate", "--ignore-scripts", "--loglevel=error", "--pack-destination"])
        .arg(&packed);
    process::read("npm pack", &mut pack)?;
    let folder = checkout.path(FOLDER);
    empty(&folder)?;
    unpack(&only_file(&packed)?, &folder)
}

fn empty(folder: &Path) -> Result<()> {
    let failure = || format!("{} cannot be emptied", folder.display());
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(failure)?;
    }
    fs::create_dir_all(folder).with_context(failure)
}

fn only_file(folder: &Path) -> Result<PathBuf> {
    let entry = fs::read_dir(folder)?.next().transpose()?;
    Ok(entry.with_context(|| format!("npm pack left nothing in {}", folder.display()))?.path())
}

/// Unpacks a tarball without npm's top-level folder, `package`.
fn unpack(tarball: &Path, folder: &Path) -> Result<()> {
    let failure = || format!("{} cannot be read", tarball.display());
    let mut archive = tar::Archive::new(GzDecoder::new(fs::File::open(tarball).with_context(failure)?));
    for entry in archive.entries().with_context(failure)? {
        let mut entry = entry.with_context(failure)?;
        let path: PathBuf = entry.path().with_context(failure)?.components().skip(1).collect();
        if path.components().any(|it| !matches!(it, Component::Normal(_))) {
            bail!("{} has a file outside of its own folder: {}", tarball.display(), path.display());
        }
        let target = folder.join(path);
        if let Some(parent) = target.parent() {
            fs::create_dir_all(parent)?;
        }
        entry.unpack(&target).with_context(|| format!("{} cannot be written", target.display()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::{Compression, write::GzEncoder};

    fn tarball(folder: &Path, name: &str) -> PathBuf {
        let path = folder.join("it.tgz");
        let mut builder = tar::Builder::new(GzEncoder::new(fs::File::create(&path).unwrap(), Compression::fast()));
        let mut header = tar::Header::new_gnu();
        // The library's own method rejects names like that of the second test.
        header.as_gnu_mut().unwrap().name[..name.len()].copy_from_slice(name.as_bytes());
        header.set_size(2);
        header.set_mode(0o644);
        header.set_cksum();
        builder.append(&header, &b"{}"[..]).unwrap();
        builder.into_inner().unwrap().finish().unwrap();
        path
    }

    #[test]
    fn a_tarball_is_unpacked_without_npms_folder() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("mediagate");
        unpack(&tarball(folder.path(), "package/dist/a.json"), &place).unwrap();
        assert_eq!(fs::read_to_string(place.join("dist/a.json")).unwrap(), "{}");
    }

    #[test]
    fn nothing_is_written_outside() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("inner/mediagate");
        let error = unpack(&tarball(folder.path(), "package/../../b.json"), &place).unwrap_err().to_string();
        assert!(error.contains("outside"), "{error}");
        assert!(!folder.path().join("b.json").exists() && !folder.path().join("inner/b.json").exists());
    }
}
