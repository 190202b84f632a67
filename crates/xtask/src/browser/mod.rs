//! Finds browsers and their drivers, or installs them if one command can do so.

mod programs;

use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;

use self::programs::Program;
pub(crate) use self::programs::apt_install;
use crate::process;

/// Chrome or Chromium. The browser without windows is the first: it has the same engine, and the
/// tests take a quarter less time in it. Ubuntu does not have it.
const CHROME: Program = Program {
    variable: "CHROME",
    names: &[
        "chromium-headless-shell",
        "chromium",
        "chromium-browser",
        "google-chrome",
        "google-chrome-stable",
        "chrome",
        "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
        "/Applications/Chromium.app/Contents/MacOS/Chromium",
    ],
    packages: &["chromium-headless-shell", "chromium"],
    elsewhere: Some(["google-chrome", "Google.Chrome"]),
};

const FIREFOX: [Program; 1] = [Program {
    variable: "FIREFOX",
    names: &[
        "firefox",
        "firefox-esr",
        "/Applications/Firefox.app/Contents/MacOS/firefox",
    ],
    packages: &["firefox-esr"],
    elsewhere: Some(["firefox", "Mozilla.Firefox"]),
}];

/// WebKitGTK's own small browser and its driver, for Linux. The browser has no headless mode, so it
/// needs a display.
const WEBKIT: [Program; 3] = [
    Program {
        variable: "WEBKIT_DRIVER",
        names: &["WebKitWebDriver"],
        packages: &["webkit2gtk-driver"],
        elsewhere: None,
    },
    Program {
        variable: "MINIBROWSER",
        names: &[
            "MiniBrowser",
            "/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser",
            "/usr/lib/aarch64-linux-gnu/webkit2gtk-4.1/MiniBrowser",
            "/usr/libexec/webkit2gtk-4.1/MiniBrowser",
        ],
        packages: &["webkit2gtk-driver"],
        elsewhere: None,
    },
    Program {
        variable: "XVFB",
        names: &["Xvfb"],
        packages: &["xvfb"],
        elsewhere: None,
    },
];

/// An engine that the step `engines` runs tests in.
#[derive(Debug)]
pub(crate) struct Engine {
    /// The name, in the tests' environment variable `ENGINE`.
    pub(crate) name: &'static str,
    /// The paths of the programs, by the environment variable of each.
    pub(crate) programs: Vec<(&'static str, PathBuf)>,
}

impl Engine {
    fn ensure(name: &'static str, programs: &[Program]) -> Result<Self> {
        let programs = programs
            .iter()
            .map(|program| Ok((program.variable, program.ensure()?)))
            .collect::<Result<_>>()?;
        Ok(Self { name, programs })
    }
}

/// Returns the path of Chrome or Chromium.
pub(crate) fn ensure() -> Result<PathBuf> {
    CHROME.ensure()
}

/// Finds Firefox and, on Linux, WebKit.
pub(crate) fn ensure_engines() -> Result<Vec<Engine>> {
    let mut engines = vec![Engine::ensure("firefox", &FIREFOX)?];
    if cfg!(target_os = "linux") {
        ensure_decoder()?;
        ensure_gstreamer()?;
        engines.push(Engine::ensure("webkit", &WEBKIT)?);
    } else {
        println!("  not in WebKit: the driver that these tests use is for Linux only");
    }
    Ok(engines)
}

/// Installs the decoder with which WebKitGTK plays H.264. Its package only recommends it.
fn ensure_gstreamer() -> Result<()> {
    let listed = process::read("dpkg-query", Command::new("dpkg-query").args(["-W", LIBAV]));
    if listed.is_ok() {
        return Ok(());
    }
    apt_install(&[LIBAV])
}

const LIBAV: &str = "gstreamer1.0-libav";

/// Installs the decoder with which Firefox plays H.264 on Linux: the system's libavcodec. Debian's
/// package of Firefox only recommends it.
fn ensure_decoder() -> Result<()> {
    let libraries = process::read("ldconfig", Command::new("ldconfig").arg("-p"));
    if libraries.is_ok_and(|list| list.contains("libavcodec.so")) {
        return Ok(());
    }
    // The package's name has a number that each release of Debian raises.
    apt_install(&["^libavcodec[0-9]*$"])
}
