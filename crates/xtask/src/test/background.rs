//! Runs a step in the background of a test run: as a process of its own with a lower priority, so
//! that it uses the time that the other steps leave.

use std::fs::{self, File};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use anyhow::Result;
use xshell::cmd;

use super::step::{Outcome, Step};
use crate::checkout::Checkout;
use crate::process::{Group, TIMEOUT};

/// Runs a step, and ends it once `is_ending` is set. Sets it if the step fails. Returns `None` if
/// another step ended this one.
pub(super) fn run(checkout: &Checkout, step: Step, is_ending: &AtomicBool) -> Option<Outcome> {
    let start = Instant::now();
    let result = run_step(checkout, step, is_ending);
    if result.is_err() && is_ending.swap(true, Ordering::SeqCst) {
        return None;
    }
    if result.is_err() {
        println!("✗ {step}, in the background: its output is shown after the current step");
    }
    Some(Outcome {
        step,
        took: start.elapsed(),
        result,
    })
}

fn run_step(checkout: &Checkout, step: Step, is_ending: &AtomicBool) -> Result<()> {
    let program = checkout.program("xtask");
    let name = step.to_string();
    // The lowest priority would keep tests from meeting their deadlines. Windows has no `nice`.
    let mut command = Command::from(if cfg!(windows) {
        cmd!(checkout, "{program} test --only {name}")
    } else {
        cmd!(checkout, "nice -n 5 {program} test --only {name}")
    });
    let output = File::create(checkout.path(output_of(step)))?;
    command.stderr(output.try_clone()?).stdout(output);
    Group::start(command)?.finish(Some(TIMEOUT), is_ending)
}

pub(super) fn show_output(checkout: &Checkout, step: Step) -> Result<()> {
    let output = fs::read_to_string(checkout.path(output_of(step)))?;
    println!("\n{}", output.trim_end());
    Ok(())
}

fn output_of(step: Step) -> String {
    format!(".tools/{step}.log")
}
