//! `cargo xtask test`: runs named steps, each with a time budget. The first failure ends the run.

mod beside;
mod checks;
mod engines;
mod fuzz;
mod long;
mod node;
mod options;
mod step;
mod steps;
mod summary;

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Instant;

use anyhow::{Context, Result};

pub(crate) use self::options::Options;
use self::step::{Step, runs_in_background};
use self::summary::{Outcome, summary};
use crate::checkout::Checkout;
use crate::process;
use crate::progress::{seconds as in_words, step as timed};

/// Runs the steps and prints the result of each.
///
/// # Errors
/// If a step fails, or `--only` names an unknown step.
pub(crate) fn run(checkout: &Checkout, options: &Options) -> Result<()> {
    let steps = step::select(options)?;
    if options.long {
        let covers = steps.iter().map(|step| {
            format!(
                "  {:<12}{}, up to {}",
                step.name,
                step.what,
                in_words(step.budget)
            )
        });
        println!("this covers:\n{}\n", covers.collect::<Vec<_>>().join("\n"));
    }
    let start = Instant::now();
    let (outcomes, result) = run_all(checkout, options, &steps);
    match result {
        Err(error) if process::is_interrupted() => Err(error),
        Err(error) => {
            let failed = outcomes
                .iter()
                .find(|outcome| !outcome.has_passed)
                .map_or("", |outcome| outcome.name);
            eprintln!("error: {error:#}; `cargo xtask test --only {failed}` runs it alone");
            println!("{}", summary(&steps, &outcomes, start.elapsed()));
            // The error is printed before the table. Returned, it would be printed again.
            std::process::exit(1);
        }
        Ok(()) => {
            println!("{}", summary(&steps, &outcomes, start.elapsed()));
            Ok(())
        }
    }
}

/// Runs the steps, some of them in the background. After a failure no further step starts, and the
/// steps in the background end.
fn run_all(
    checkout: &Checkout,
    options: &Options,
    steps: &[&'static Step],
) -> (Vec<Outcome>, Result<()>) {
    let (beside, others): (Vec<_>, Vec<_>) = steps
        .iter()
        .partition(|step| runs_in_background(step, steps));
    // The first step is the build. It installs the tools of all further steps and holds Cargo's
    // lock, so it runs by itself.
    let (build, others) = others.split_at(usize::from(!beside.is_empty()));
    let has_failed = AtomicBool::new(false);
    let (mut outcomes, mut result) = run_in_turn(checkout, options, build, &has_failed);
    if result.is_err() {
        return (outcomes, result);
    }
    thread::scope(|scope| {
        let beside = scope.spawn(|| beside::run(checkout, &beside, &has_failed));
        let (others, others_result) = run_in_turn(checkout, options, others, &has_failed);
        outcomes.extend(others);
        result = others_result;
        for (outcome, its_result) in beside.join().unwrap_or_else(|panic| resume_unwind(panic)) {
            beside::show_output(checkout, outcome.name);
            if result.is_ok() {
                result = its_result.with_context(|| failure_of(outcome.name));
            }
            outcomes.push(outcome);
        }
    });
    (outcomes, result)
}

/// Runs the steps in turn, until `has_failed` is set, and sets it if a step fails.
fn run_in_turn(
    checkout: &Checkout,
    options: &Options,
    steps: &[&'static Step],
    has_failed: &AtomicBool,
) -> (Vec<Outcome>, Result<()>) {
    let mut outcomes = Vec::new();
    for one in steps {
        if has_failed.load(Ordering::SeqCst) {
            break;
        }
        let start = Instant::now();
        let result = timed(&format!("{}: {}", one.name, one.what), || {
            (one.run)(checkout, options)
        });
        outcomes.push(Outcome {
            name: one.name,
            has_passed: result.is_ok(),
            took: start.elapsed(),
        });
        if result.is_err() {
            has_failed.store(true, Ordering::SeqCst);
            return (outcomes, result.with_context(|| failure_of(one.name)));
        }
    }
    (outcomes, Ok(()))
}

fn failure_of(name: &str) -> String {
    format!("the step `{name}` failed")
}
