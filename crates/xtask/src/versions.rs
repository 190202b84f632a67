//! Versions that must be equal, because the build fails with unclear errors otherwise. A difference is one line with both
//! versions and the remedy.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use serde_json::Value;

use crate::checkout::Checkout;
use crate::process;

/// The npm packages that build and run the gateway, at the root of the checkout.
const NPM_TOOLS: [&str; 4] = ["wrangler", "esbuild", "binaryen", "typescript"];

/// The versions of each package in `Cargo.lock`, by name.
#[derive(Debug)]
pub(crate) struct Lock(BTreeMap<String, Vec<String>>);

#[derive(Deserialize)]
struct LockFile {
    package: Vec<LockedPackage>,
}

#[derive(Deserialize)]
struct LockedPackage {
    name: String,
    version: String,
}

impl Lock {
    /// Reads `Cargo.lock`.
    ///
    /// # Errors
    /// When it is missing or damaged.
    pub(crate) fn read(checkout: &Checkout) -> Result<Self> {
        let text = fs::read_to_string(checkout.path("Cargo.lock"))
            .context("Cargo.lock cannot be read; restore it with `git checkout Cargo.lock`")?;
        Self::parse(&text)
    }

    fn parse(text: &str) -> Result<Self> {
        let file: LockFile =
            toml::from_str(text).context("Cargo.lock is damaged; restore it with `git checkout Cargo.lock`")?;
        let mut packages = BTreeMap::<_, Vec<_>>::new();
        for package in file.package {
            packages.entry(package.name).or_default().push(package.version);
        }
        Ok(Self(packages))
    }

    /// The version of a package.
    ///
    /// # Errors
    /// When the lock file has no version of it, or several.
    pub(crate) fn version(&self, name: &str) -> Result<&str> {
        match self.0.get(name).map(Vec::as_slice) {
            Some([version]) => Ok(version),
            Some(several) => bail!(
                "Cargo.lock holds {name} in {}; require one version only in every Cargo.toml",
                several.join(" and ")
            ),
            None => bail!("Cargo.lock does not hold {name}; run `cargo update --workspace` and commit it"),
        }
    }
}

/// Checks the versions in `Cargo.lock`.
///
/// # Errors
/// When the wasm-bindgen library and its command line tool differ.
pub(crate) fn check_locks(lock: &Lock) -> Result<()> {
    let (library, cli) = (lock.version("wasm-bindgen")?, lock.version("wasm-bindgen-cli")?);
    same(
        ("the wasm-bindgen library", library),
        ("wasm-bindgen-cli", cli),
        "set both to one version, in Cargo.toml and crates/wasm-tools-runner/Cargo.toml",
    )
}

/// Checks that the installed tools are the locked ones: their names, and those of their packages.
///
/// # Errors
/// When one is not.
pub(crate) fn check_installed(checkout: &Checkout, lock: &Lock, tools: &[(&str, &str)]) -> Result<()> {
    for (tool, package) in tools {
        let found = process::read(tool, Command::new(checkout.tool(tool)).arg("--version"))?;
        // `wasm-pack 0.15.1`, but only `0.8.7` from worker-build.
        let found = found.split_whitespace().last().unwrap_or_default();
        let (installed, locked) = (format!(".tools/bin/{tool}"), format!("{package} in Cargo.lock"));
        same((&installed, found), (&locked, lock.version(package)?), "remove .tools and run this again")?;
    }
    Ok(())
}

/// Checks that the installed npm packages are the locked ones, and that each is pinned exactly.
///
/// # Errors
/// When one is not.
pub(crate) fn check_npm(checkout: &Checkout) -> Result<()> {
    let (wanted, locked) =
        (read_json(&checkout.path("package.json"))?, read_json(&checkout.path("package-lock.json"))?);
    for name in NPM_TOOLS {
        let installed = read_json(&checkout.path("node_modules").join(name).join("package.json"))?;
        let wanted = text(&wanted["devDependencies"][name]);
        let locked = text(&locked["packages"][format!("node_modules/{name}")]["version"]);
        let what = [format!("{name} in package.json"), format!("{name} in package-lock.json")];
        same((&what[0], wanted), (&what[1], locked), "run `npm install` and commit package-lock.json")?;
        let what = format!("the installed {name}");
        same((&what, text(&installed["version"])), ("package-lock.json", locked), "run `npm ci`")?;
    }
    Ok(())
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or("missing")
}

fn read_json(path: &Path) -> Result<Value> {
    let text = fs::read_to_string(path).with_context(|| format!("{} cannot be read; run `npm ci`", path.display()))?;
    serde_json::from_str(&text).with_context(|| format!("{} is damaged; run `npm ci`", path.display()))
}

/// Checks that two versions are equal.
fn same(left: (&str, &str), right: (&str, &str), remedy: &str) -> Result<()> {
    if left.1 != right.1 {
        bail!("{} is {}, but {} is {}; {remedy}", left.0, left.1, right.0, right.1);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lock(packages: &[(&str, &str)]) -> Lock {
        let text: String = packages
            .iter()
            .map(|(name, version)| format!("[[package]]\nname = \"{name}\"\nversion = \"{version}\"\n"))
            .collect();
        Lock::parse(&text).unwrap()
    }

    #[test]
    fn equal_versions_pass() {
        check_locks(&lock(&[("wasm-bindgen", "0.2.130"), ("wasm-bindgen-cli", "0.2.130")])).unwrap();
    }

    #[test]
    fn a_difference_is_one_line_with_both_versions_and_the_remedy() {
        let error = check_locks(&lock(&[("wasm-bindgen", "0.2.131"), ("wasm-bindgen-cli", "0.2.130")])).unwrap_err();
        let line = format!("{error:#}");
        assert!(line.contains("0.2.131") && line.contains("0.2.130") && line.contains("set both"), "{line}");
        assert_eq!(line.lines().count(), 1);
    }

    #[test]
    fn two_versions_of_one_library_are_an_error() {
        let lock = lock(&[("wasm-bindgen", "0.2.129"), ("wasm-bindgen", "0.2.130")]);
        let error = lock.version("wasm-bindgen").unwrap_err();
        assert!(error.to_string().contains("0.2.129 and 0.2.130"), "{error}");
    }

    #[test]
    fn a_damaged_lock_file_says_how_to_restore_it() {
        let error = Lock::parse("[[package]\n").unwrap_err();
        assert!(error.to_string().contains("git checkout Cargo.lock"), "{error}");
    }
}
