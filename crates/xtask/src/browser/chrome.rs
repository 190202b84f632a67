//! Finds Chrome or Chromium, or installs it if one command can do so.

use std::env;
use std::path::PathBuf;

use anyhow::{Result, bail};

use super::programs::{apt_install, find_program};

/// Programs and paths of the browser. The browser without windows is the first: it has the same
/// engine, and the tests take a quarter less time in it.
const CHROMES: [&str; 8] = [
    HEADLESS,
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
];
/// Debian's program and package of the browser without windows.
const HEADLESS: &str = "chromium-headless-shell";

/// Returns the path of the browser, from `CHROME`, on the `PATH`, or in the usual folders. On
/// Debian and Ubuntu, this installs a missing browser if it runs as root.
///
/// # Errors
/// If there is no browser and it cannot be installed. The message has the command that installs it.
pub(crate) fn ensure() -> Result<PathBuf> {
    if let Some(browser) = find()? {
        return Ok(browser);
    }
    // Ubuntu does not have the browser without windows.
    apt_install(&[HEADLESS]).or_else(|_| apt_install(&["chromium"]))?;
    match find()? {
        Some(browser) => Ok(browser),
        None => bail!(
            "there is no Chrome or Chromium here; {}",
            remedy(env::consts::OS)
        ),
    }
}

fn find() -> Result<Option<PathBuf>> {
    find_program("CHROME", &CHROMES)
}

/// Returns the command that installs a browser on this operating system.
fn remedy(system: &str) -> &'static str {
    match system {
        "macos" => "run `brew install --cask google-chrome`",
        "windows" => "run `winget install Google.Chrome`",
        _ => {
            "install it with your package manager (Debian, Ubuntu: \
             `sudo apt-get install chromium`), or name it in CHROME"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_system_has_one_command() {
        for system in ["linux", "macos", "windows"] {
            assert_eq!(remedy(system).lines().count(), 1);
            assert!(remedy(system).contains("install"));
        }
    }
}
