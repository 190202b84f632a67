//! What publishing the crates would do.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::checkout::Checkout;
use crate::{process, tools};

/// Packs each crate and compiles what is packed, for programs and for pages.
///
/// # Errors
/// Where one can't be packed, or what is packed does not compile.
pub(super) fn dry_run(checkout: &Checkout) -> Result<()> {
    forget_packed(checkout)?;
    [&[][..], &["--target", tools::WASM]].iter().try_for_each(|target| {
        let mut publish = tools::cargo(checkout);
        publish.args(["publish", "--quiet", "--workspace", "--dry-run", "--allow-dirty"]).args(*target);
        process::run("cargo publish --dry-run", publish)
    })
}

/// Removes what earlier runs have packed. Cargo takes a packed crate for one of a registry, which never changes under its
/// version, and would go on with the sources, and with what was compiled of them, of another day.
fn forget_packed(checkout: &Checkout) -> Result<()> {
    let home = env::var_os("CARGO_HOME").map(Into::into).or_else(|| Some(env::home_dir()?.join(".cargo")));
    // The registries of such runs have no host, and so no name before the dash.
    for registry in entries(&home.unwrap_or_default().join("registry/src"), "-") {
        for packed in entries(&registry, "mediagate") {
            fs::remove_dir_all(packed)?;
        }
    }
    let target = checkout.path("target");
    for profile in [target.join("debug"), target.join(tools::WASM).join("debug")] {
        for packed in entries(&profile.join(".fingerprint"), "mediagate-") {
            if is_of_registry(&profile, &packed) {
                fs::remove_dir_all(packed)?;
            }
        }
    }
    Ok(())
}

/// Whether a crate was compiled from a registry's sources, and not from the checkout's.
fn is_of_registry(profile: &Path, fingerprint: &Path) -> bool {
    let name = fingerprint.file_name().unwrap_or_default().to_string_lossy();
    let Some((name, hash)) = name.rsplit_once('-') else { return false };
    let sources = profile.join(format!("deps/{}-{hash}.d", name.replace('-', "_")));
    fs::read_to_string(sources).is_ok_and(|it| it.contains("/registry/src/"))
}

/// The entries of a folder whose names begin like this; none where there is no such folder.
fn entries(folder: &Path, prefix: &str) -> Vec<PathBuf> {
    let found = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    found.filter(|it| it.file_name().to_string_lossy().starts_with(prefix)).map(|it| it.path()).collect()
}
