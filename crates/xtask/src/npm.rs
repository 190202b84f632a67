//! Finds Node and npm, and installs the packages that `package-lock.json` pins.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::checkout::Checkout;
use crate::process;
use crate::stamp::Stamp;

/// The earliest version of Node that every locked package supports: (major, minor).
const MIN_NODE: (u32, u32) = (20, 19);

/// npm's error codes for a registry that cannot be reached.
const OFFLINE: [&str; 7] = [
    "ENOTFOUND",
    "ECONNREFUSED",
    "ECONNRESET",
    "EAI_AGAIN",
    "ETIMEDOUT",
    "ERR_SOCKET_TIMEOUT",
    "ENETUNREACH",
];

/// Installs the locked packages, unless `node_modules` is up to date.
pub(crate) fn ensure(checkout: &Checkout) -> Result<()> {
    check_node()?;
    let inputs = [
        "package.json",
        "package-lock.json",
        ".npmrc",
        "pkg/package.json",
        "www/package.json",
        "tests/package.json",
        "tests/bench/package.json",
        "gateway/package.json",
    ];
    let outputs = ["node_modules/.package-lock.json"];
    Stamp::new(checkout, "npm", "", &inputs, &outputs)?
        .unless_fresh("installing the npm packages", || install(checkout.root()))
}

/// Installs the locked packages of a folder that is not a workspace, unless they are up to date.
/// Such a folder has packages that conflict with the workspaces, such as another version of Node.
pub(crate) fn ensure_apart(checkout: &Checkout, folder: &str) -> Result<()> {
    let inputs = ["package.json", "package-lock.json"].map(|file| format!("{folder}/{file}"));
    let output = format!("{folder}/node_modules/.package-lock.json");
    let stamp = Stamp::new(
        checkout,
        &folder.replace('/', "-"),
        "",
        &inputs.each_ref().map(String::as_str),
        &[&output],
    )?;
    stamp.unless_fresh(&format!("installing the npm packages of {folder}"), || {
        install(&checkout.path(folder))
    })
}

/// Returns a command that runs a script of an installed package with Node. npx would be one more
/// process to terminate.
pub(crate) fn script(checkout: &Checkout, file: &str) -> Command {
    let mut command = Command::new("node");
    command
        .arg(checkout.path("node_modules").join(file))
        .current_dir(checkout.root());
    command
}

/// Returns the path of a package's program.
pub(crate) fn bin(checkout: &Checkout, name: &str) -> PathBuf {
    let name = if cfg!(windows) {
        format!("{name}.cmd")
    } else {
        name.to_owned()
    };
    checkout.path("node_modules/.bin").join(name)
}

/// Returns a command that runs npm in this folder.
pub(crate) fn npm(folder: &Path) -> Result<Command> {
    let npm = which::which("npm")
        .context("npm is not on the PATH; install Node 20.19 or newer, which contains npm")?;
    let mut command = Command::new(npm);
    command.current_dir(folder);
    Ok(command)
}

fn check_node() -> Result<()> {
    let node =
        which::which("node").context("Node is not on the PATH; install Node 20.19 or newer")?;
    let version = process::read("node --version", Command::new(node).arg("--version"))?;
    if process::major_minor(&version).is_none_or(|found| found < MIN_NODE) {
        bail!(
            "Node {version} is too old; install Node {}.{} or newer",
            MIN_NODE.0,
            MIN_NODE.1
        );
    }
    Ok(())
}

/// Runs `npm ci`. Its error output is long, so a failure shows only the reason.
fn install(folder: &Path) -> Result<()> {
    let output = npm(folder)?
        .args(["ci", "--no-audit", "--no-fund", "--loglevel=error"])
        .stdin(Stdio::null())
        .output()
        .context("npm does not start")?;
    if output.status.success() {
        return Ok(());
    }
    bail!("{}", explain(&String::from_utf8_lossy(&output.stderr)))
}

/// Returns the reason in npm's error output in one line, with the remedy.
fn explain(stderr: &str) -> String {
    let has = |word: &str| stderr.contains(word);
    if OFFLINE.iter().any(|code| has(code)) {
        return "the npm registry does not respond; \
            connect, or name a mirror in ~/.npmrc, and run this again"
            .to_owned();
    }
    if has("in sync") || has("EUSAGE") {
        return "package-lock.json is missing or behind a package.json; \
            run `npm install` and commit it"
            .to_owned();
    }
    let mut lines = stderr
        .lines()
        .map(|line| line.trim_start_matches("npm error").trim());
    let reason = lines
        .find(|line| !line.is_empty() && !line.starts_with("code "))
        .unwrap_or("npm gives no reason");
    format!("npm ci failed: {reason}; `npm ci` in the checkout shows the whole output")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_of_npm_is_one_line_with_the_remedy() {
        for (stderr, expected) in [
            (
                "npm error code ENOTFOUND\nnpm error syscall getaddrinfo\n",
                "the npm registry does not respond; connect",
            ),
            (
                "npm error code EUSAGE\nnpm error `npm ci` can only install when in sync\n",
                "package-lock.json is missing or behind a package.json; run `npm install`",
            ),
            (
                "npm error code EACCES\nnpm error syscall mkdir\n",
                "npm ci failed: syscall mkdir",
            ),
        ] {
            let line = explain(stderr);
            assert!(
                line.starts_with(expected) && line.lines().count() == 1,
                "{line}"
            );
        }
    }
}
