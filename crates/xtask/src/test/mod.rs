//! `cargo xtask test`: named steps, each with a time budget; the first that fails ends the run.

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
use self::step::{Step, is_beside};
use self::summary::{Outcome, summary};
use crate::checkout::Checkout;
use crate::process;
use crate::progress::{seconds as in_words, step as timed};

/// Runs the steps and prints the result of each.
///
/// # Errors
/// When a step fails, or `--only` names an unknown one.
pub(crate) fn run(checkout: &Checkout, options: &Options) -> Result<()> {
    let steps = step::select(options)?;
    if options.long {
        let covers = steps.iter().map(|it| {
            format!(
                "  {:<12}{}, up to {}",
                it.name,
                it.what,
                in_words(it.budget)
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
                .find(|it| !it.has_passed)
                .map_or("", |it| it.name);
            eprintln!("error: {error:#}; `cargo xtask test --only {failed}` runs it alone");
            println!("{}", summary(&steps, &outcomes, start.elapsed()));
            std::process::exit(1);
        }
        Ok(()) => {
            println!("{}", summary(&steps, &outcomes, start.elapsed()));
            Ok(())
        }
    }
}

/// Runs the steps, some of them beside the others. After one that fails, none starts, and those beside the others end.
fn run_all(
    checkout: &Checkout,
    options: &Options,
    steps: &[&'static Step],
) -> (Vec<Outcome>, Result<()>) {
    let (beside, others): (Vec<_>, Vec<_>) = steps.iter().partition(|it| is_beside(it, steps));
    // The build installs tools where the others install theirs; Cargo lets one wait for the other.
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

/// Runs the steps one after the other, until one of them or of those beside them has failed.
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
