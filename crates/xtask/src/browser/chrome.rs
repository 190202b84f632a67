//! Chrome or Chromium and its driver: finds them, or installs them where one command does.

use std::env;
use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use serde_json::json;

use super::programs::{apt_install, find_program};
use crate::checkout::Checkout;

/// Programs and paths of the browser.
const CHROMES: [&str; 7] = [
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
];
/// Programs and paths of its driver.
const DRIVERS: [&str; 4] = [
    "chromedriver",
    "/usr/lib/chromium/chromedriver",
    "/usr/lib/chromium-browser/chromedriver",
    "/opt/homebrew/bin/chromedriver",
];
/// The Debian packages of both.
const DEBIAN: [&str; 2] = ["chromium", "chromium-driver"];

/// The browser's arguments in tests: no background connections, and no sandbox, which does not work for root.
const ARGUMENTS: [&str; 8] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
];

/// A browser and its driver.
#[derive(Debug)]
pub(crate) struct Browser {
    /// The path of Chrome or Chromium.
    pub(crate) chrome: PathBuf,
    /// The path of its driver.
    pub(crate) driver: PathBuf,
}

/// Finds the browser by `CHROME` and `CHROMEDRIVER`, on the `PATH`, or in the usual folders. On Debian and Ubuntu,
/// installs it when run as root.
///
/// # Errors
/// When there is none and it cannot be installed; the message has the command that installs it.
pub(crate) fn ensure() -> Result<Browser> {
    if let Some(browser) = find()? {
        return Ok(browser);
    }
    apt_install(&DEBIAN)?;
    match find()? {
        Some(browser) => Ok(browser),
        None => bail!("no Chrome or Chromium with its driver is here; {}", remedy(env::consts::OS)),
    }
}

fn find() -> Result<Option<Browser>> {
    let (chrome, driver) = (find_program("CHROME", &CHROMES)?, find_program("CHROMEDRIVER", &DRIVERS)?);
    Ok(chrome.zip(driver).map(|(chrome, driver)| Browser { chrome, driver }))
}

/// The command that installs a browser and its driver on this operating system.
fn remedy(system: &str) -> &'static str {
    match system {
        "macos" => "run `brew install --cask google-chrome chromedriver`",
        "windows" => "run `winget install Google.Chrome Chromium.ChromeDriver`",
        _ => {
            "install both with your package manager (Debian, Ubuntu: `sudo apt-get install chromium chromium-driver`), \
              or name them in CHROME and CHROMEDRIVER"
        }
    }
}

/// Writes the configuration of wasm-bindgen's test runner: the browser and its arguments. Returns its path.
///
/// # Errors
/// When `.tools` cannot be written.
pub(crate) fn write_webdriver(checkout: &Checkout, browser: &Browser) -> Result<PathBuf> {
    let path = checkout.path(".tools/webdriver.json");
    let options = json!({ "goog:chromeOptions": { "binary": browser.chrome, "args": ARGUMENTS } });
    fs::create_dir_all(checkout.path(".tools"))
        .and_then(|()| fs::write(&path, options.to_string()))
        .with_context(|| format!("{} cannot be written", path.display()))?;
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tests_scripts_start_chromium_with_the_same_arguments() {
        let script = include_str!("../../../../tests/support/browser.mjs");
        let list = script.split("const ARGUMENTS = [").nth(1).and_then(|it| it.split("];").next()).unwrap_or_default();
        let found: Vec<_> = list.lines().filter_map(|it| it.trim().strip_prefix('"')?.strip_suffix("\",")).collect();
        assert_eq!(ARGUMENTS[0], "--headless", "which Playwright adds by itself");
        assert_eq!(found, ARGUMENTS[1..]);
    }

    #[test]
    fn every_system_has_one_command() {
        for system in ["linux", "macos", "windows"] {
            assert_eq!(remedy(system).lines().count(), 1);
            assert!(remedy(system).contains("install"));
        }
    }
}
