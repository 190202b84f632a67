//! Checks Node, and installs the packages that a `package-lock.json` pins.

use anyhow::{Context, Result, bail};
use xshell::cmd;

use crate::checkout::Checkout;
use crate::process;
use crate::stamp::Stamp;

pub(crate) fn ensure(checkout: &Checkout) -> Result<()> {
    ensure_apart(checkout, ".")
}

/// Installs the packages of a folder that is no workspace, since they conflict with those of the
/// workspaces.
pub(crate) fn ensure_apart(checkout: &Checkout, folder: &str) -> Result<()> {
    let version = cmd!(checkout, "node --version")
        .read()
        .context("Node is not on the PATH; install Node 20.19 or newer")?;
    if major_minor(&version).is_none_or(|found| found < (20, 19)) {
        bail!("Node {version} is too old; install Node 20.19 or newer");
    }
    let stamp = Stamp {
        name: &format!("npm packages of {folder}"),
        setting: &version,
        inputs: &[&format!("{folder}/package-lock.json")],
        outputs: &[&format!("{folder}/node_modules/.package-lock.json")],
    };
    stamp.unless_fresh(checkout, || {
        let npm = cmd!(
            checkout,
            "npm ci --prefix {folder} --no-audit --no-fund --loglevel=error"
        );
        process::call(npm).context(
            "the npm packages are not installed; if the registry does not respond, connect or name \
             a mirror in ~/.npmrc; if package-lock.json is behind, run `npm install` and commit it",
        )
    })
}

/// Parses the version of Node, such as `v20.19.4`, as (20, 19).
fn major_minor(version: &str) -> Option<(u32, u32)> {
    let mut numbers = version.strip_prefix('v')?.split('.');
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}
