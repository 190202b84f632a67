//! An earlier build beside this one: that of the last release, or until there is one, of a commit.

use std::path::PathBuf;
use std::process::Command;
use std::{env, fs};

use anyhow::{Context, Result, ensure};

use super::node;
use super::options::Options;
use crate::checkout::Checkout;
use crate::process;

/// The commit whose build stands for the last release until there is a tag.
const FIRST: &str = "6e1719e";
/// A folder with a checkout that is built already, in place of one that this step makes.
const VARIABLE: &str = "MEDIAGATE_PREVIOUS";
const FOLDER: &str = "tests/upgrades";

/// Runs the tests of two builds.
///
/// # Errors
/// When there is no git history, the earlier build cannot be made, or a test fails.
pub(super) fn upgrades(checkout: &Checkout, options: &Options) -> Result<()> {
    let previous = match env::var_os(VARIABLE).filter(|it| !it.is_empty()) {
        Some(folder) => PathBuf::from(folder),
        None => build_previous(checkout)?,
    };
    node::test(checkout, options, FOLDER, |node| {
        node.env(VARIABLE, &previous);
    })
}

/// Checks out the earlier build below the target folder, and builds it; returns its folder.
fn build_previous(checkout: &Checkout) -> Result<PathBuf> {
    let revision = last_release(checkout).unwrap_or_else(|| FIRST.to_owned());
    let folder = checkout.target().join("previous").join(&revision);
    if !folder.is_dir() {
        let parent = folder.parent().context("the target folder has no parent")?;
        fs::create_dir_all(parent).with_context(|| format!("{} cannot be made", parent.display()))?;
        let mut git = git(checkout);
        git.args(["worktree", "add", "--force", "--detach"]).arg(&folder).arg(&revision);
        process::run(&format!("git worktree add {revision} (it needs the whole history: git fetch --unshallow)"), git)?;
    }
    let mut cargo = Command::new("cargo");
    cargo.args(["xtask", "build"]).current_dir(&folder);
    // A target folder of its own, which the next earlier build uses, too.
    cargo.env("CARGO_TARGET_DIR", checkout.target().join("previous/target")).env_remove("CARGO_MANIFEST_DIR");
    // That build has a toolchain of its own.
    cargo.env_remove("RUSTUP_TOOLCHAIN");
    process::run(&format!("cargo xtask build, of {revision}"), cargo)?;
    let built = folder.join("crates/worker/build/index.js");
    ensure!(built.is_file(), "the build of {revision} left no {}", built.display());
    Ok(folder)
}

/// The last tag of a release before this commit.
fn last_release(checkout: &Checkout) -> Option<String> {
    let mut git = git(checkout);
    git.args(["describe", "--tags", "--abbrev=0", "--match", "v[0-9]*", "HEAD^"]).stderr(std::process::Stdio::null());
    let output = git.output().ok().filter(|it| it.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.trim().to_owned()).filter(|it| !it.is_empty())
}

fn git(checkout: &Checkout) -> Command {
    let mut git = Command::new("git");
    git.current_dir(checkout.root());
    git
}
