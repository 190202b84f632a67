//! Finds Chrome or Chromium, and installs Debian's packages of browsers.

use std::env;
use std::path::PathBuf;

use anyhow::{Context, Result};
use xshell::cmd;

use crate::checkout::Checkout;
use crate::process;
use crate::progress::step;

/// The browser without windows is the first: it has the same engine, and the tests take a quarter
/// less time in it. Ubuntu does not have it.
const NAMES: [&str; 6] = [
    "chromium-headless-shell",
    "chromium",
    "google-chrome",
    "chrome",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
];

/// Returns the path of Chrome or Chromium, which `CHROME` may name. On Debian and Ubuntu, installs
/// Chromium if it is missing and this runs as root.
pub(crate) fn ensure(checkout: &Checkout) -> Result<PathBuf> {
    if let Some(named) = env::var_os("CHROME").filter(|value| !value.is_empty()) {
        return which::which(&named).context("CHROME does not name a program");
    }
    let find = || NAMES.iter().find_map(|name| which::which(name).ok());
    for package in ["chromium-headless-shell", "chromium"] {
        if find().is_some() || apt_install(checkout, &[package]).is_ok() {
            break;
        }
    }
    find().context("Chrome is missing; install Chrome or Chromium, or name it in CHROME")
}

/// Installs Debian packages, if this runs as root and there is apt-get. Otherwise does nothing.
pub(crate) fn apt_install(checkout: &Checkout, packages: &[&str]) -> Result<()> {
    let is_root = cmd!(checkout, "id -u").read().is_ok_and(|id| id == "0");
    if !is_root || which::which("apt-get").is_err() {
        return Ok(());
    }
    step(&format!("installing {}", packages.join(", ")), || {
        process::call(cmd!(checkout, "apt-get update -qq"))?;
        let options = ["-qq", "--yes", "--no-install-recommends"];
        let install = cmd!(checkout, "apt-get install {options...} {packages...}");
        process::call(install.env("DEBIAN_FRONTEND", "noninteractive"))
    })
}
