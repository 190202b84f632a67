//! Finds Firefox and WebKit, which the step `engines` runs tests in.

use std::env;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Result, bail};

use super::programs::{apt_install, find_program};
use crate::process;

/// A program that the tests drive.
struct Program {
    /// The environment variable from which the tests read the program's path.
    variable: &'static str,
    /// The names and paths that the program may have.
    names: &'static [&'static str],
    /// The Debian package.
    package: &'static str,
}

const FIREFOX: &[Program] = &[Program {
    variable: "FIREFOX",
    names: &[
        "firefox",
        "firefox-esr",
        "/Applications/Firefox.app/Contents/MacOS/firefox",
    ],
    package: "firefox-esr",
}];

/// WebKitGTK's own small browser and its driver. The browser has no headless mode, so it needs a
/// display.
const WEBKIT: &[Program] = &[
    Program {
        variable: "WEBKIT_DRIVER",
        names: &["WebKitWebDriver"],
        package: "webkit2gtk-driver",
    },
    Program {
        variable: "MINIBROWSER",
        names: &[
            "MiniBrowser",
            "/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser",
            "/usr/lib/aarch64-linux-gnu/webkit2gtk-4.1/MiniBrowser",
            "/usr/libexec/webkit2gtk-4.1/MiniBrowser",
        ],
        package: "webkit2gtk-driver",
    },
    Program {
        variable: "XVFB",
        names: &["Xvfb"],
        package: "xvfb",
    },
];

/// An engine that the tests drive.
#[derive(Debug)]
pub(crate) struct Engine {
    /// The name, in the tests' environment variable `ENGINE`.
    pub(crate) name: &'static str,
    /// The paths of the programs, by the environment variable of each.
    pub(crate) programs: Vec<(&'static str, PathBuf)>,
}

/// Finds Firefox and, on Linux, WebKit. On Debian and Ubuntu, this installs missing programs if it
/// runs as root.
///
/// # Errors
/// If a program is missing and cannot be installed. The message says how to install it.
pub(crate) fn ensure_engines() -> Result<Vec<Engine>> {
    let mut engines = vec![ensure("firefox", FIREFOX)?];
    if cfg!(target_os = "linux") {
        ensure_decoder()?;
        engines.push(ensure("webkit", WEBKIT)?);
    } else {
        println!("  not in WebKit: the driver that these tests use is for Linux only");
    }
    Ok(engines)
}

fn ensure(name: &'static str, programs: &[Program]) -> Result<Engine> {
    let missing = missing(programs)?;
    if !missing.is_empty() {
        apt_install(&missing)?;
    }
    let mut paths = Vec::new();
    for program in programs {
        match find_program(program.variable, program.names)? {
            Some(path) => paths.push((program.variable, path)),
            None => bail!(
                "{} is missing; {}",
                program.names[0],
                remedy(program, env::consts::OS)
            ),
        }
    }
    Ok(Engine {
        name,
        programs: paths,
    })
}

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

/// Returns the Debian packages of the missing programs, each once.
fn missing(programs: &[Program]) -> Result<Vec<&'static str>> {
    let mut packages = Vec::new();
    for program in programs {
        if find_program(program.variable, program.names)?.is_none()
            && !packages.contains(&program.package)
        {
            packages.push(program.package);
        }
    }
    Ok(packages)
}

/// Returns the command that installs a program on this operating system.
fn remedy(program: &Program, system: &str) -> String {
    let Program {
        variable, package, ..
    } = program;
    match system {
        "macos" => format!("run `brew install --cask firefox`, or name it in {variable}"),
        "windows" => format!("run `winget install Mozilla.Firefox`, and name it in {variable}"),
        _ => format!(
            "install it with your package manager (Debian: `sudo apt-get install {package}`), \
             or name it in {variable}"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_program_is_named_with_its_package_and_variable() {
        for program in FIREFOX.iter().chain(WEBKIT) {
            let remedy = remedy(program, "linux");
            assert!(
                remedy.contains(program.package) && remedy.contains(program.variable),
                "{remedy}"
            );
        }
    }

    #[test]
    fn packages_of_missing_programs_are_listed_once() {
        let absent = || Program {
            variable: "MEDIAGATE_NO_SUCH_VARIABLE",
            names: &["no-such-program"],
            package: "p",
        };
        let here = Program {
            variable: "MEDIAGATE_NO_SUCH_VARIABLE",
            names: &["cargo"],
            package: "q",
        };
        assert_eq!(missing(&[absent(), here, absent()]).unwrap(), ["p"]);
    }
}
