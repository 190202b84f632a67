//! Steps beside the others: each in a process of its own with the lowest priority, so that it takes what the others leave of
//! the cores. Its output is shown at the end.

use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use anyhow::Result;

use super::options::Options;
use super::output;
use super::step::Step;
use super::summary::Outcome;
use crate::checkout::Checkout;
use crate::process;

/// Runs the steps one after the other, until one fails or they are unwanted.
pub(super) fn run(
    checkout: &Checkout,
    steps: &[&'static Step],
    options: &Options,
    is_unwanted: &AtomicBool,
) -> Vec<(Outcome, Result<()>)> {
    let mut done = Vec::new();
    for step in steps {
        let start = Instant::now();
        let result = run_step(checkout, step, command(checkout, options), is_unwanted);
        let has_failed = result.is_err();
        done.push((Outcome { name: step.name, has_passed: !has_failed, took: start.elapsed() }, result));
        if has_failed {
            break;
        }
    }
    done
}

fn run_step(checkout: &Checkout, step: &Step, mut command: Command, is_unwanted: &AtomicBool) -> Result<()> {
    let [stdout, stderr] = output::open(checkout, step.name)?;
    command.arg(step.name).current_dir(checkout.root()).stdout(stdout).stderr(stderr);
    process::run_while_wanted(step.name, command, is_unwanted)
}

/// The command that runs the step that is added to it.
fn command(checkout: &Checkout, options: &Options) -> Command {
    let this = checkout.program("xtask");
    // Windows has no `nice`.
    let mut command = which::which("nice").map_or_else(
        |_| Command::new(&this),
        |nice| {
            let mut command = Command::new(nice);
            command.args(["-n", "19"]).arg(&this);
            command
        },
    );
    command.args(["test", "--fuzz-seconds", &options.fuzz_seconds.to_string(), "--only"]);
    command
}
