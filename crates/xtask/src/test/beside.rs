//! Steps beside the others: each in a process of its own with the lowest priority, so that it takes what the others leave of
//! the cores. Its output is shown at the end.

use std::fs::{self, File};
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use anyhow::{Context, Result};

use super::step::Step;
use super::summary::Outcome;
use crate::checkout::Checkout;
use crate::process;

/// Where the output of a step is written.
const FOLDER: &str = ".tools/beside";

/// Runs the steps one after the other, until one fails or they are unwanted.
pub(super) fn run(
    checkout: &Checkout,
    steps: &[&'static Step],
    is_unwanted: &AtomicBool,
) -> Vec<(Outcome, Result<()>)> {
    let mut done = Vec::new();
    for step in steps {
        let start = Instant::now();
        let result = run_step(checkout, step, command(checkout), is_unwanted);
        let has_failed = result.is_err();
        done.push((Outcome { name: step.name, has_passed: !has_failed, took: start.elapsed() }, result));
        if has_failed {
            break;
        }
    }
    done
}

/// Shows what a step has printed.
pub(super) fn show_output(checkout: &Checkout, name: &str) {
    let output = fs::read_to_string(output_of(checkout, name)).unwrap_or_default();
    println!("\n{}", output.trim_end());
}

fn run_step(checkout: &Checkout, step: &Step, mut command: Command, is_unwanted: &AtomicBool) -> Result<()> {
    let path = output_of(checkout, step.name);
    let open = || fs::create_dir_all(checkout.path(FOLDER)).and_then(|()| File::create(&path));
    let output = open().with_context(|| format!("{} cannot be written", path.display()))?;
    command
        .arg(step.name)
        .current_dir(checkout.root())
        .stderr(output.try_clone().context("the output's file is lost")?)
        .stdout(output);
    process::run_while_wanted(step.name, command, is_unwanted)
}

/// The command that runs the step that is added to it.
fn command(checkout: &Checkout) -> Command {
    let mut command = process::in_background(&Command::new(checkout.program("xtask")));
    command.args(["test", "--only"]);
    command
}

fn output_of(checkout: &Checkout, name: &str) -> PathBuf {
    checkout.path(FOLDER).join(format!("{name}.log"))
}
