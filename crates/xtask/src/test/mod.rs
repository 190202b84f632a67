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
mod time;

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

pub(crate) use self::options::Options;
use self::step::{Step, runs_in_background};
use self::summary::{Outcome, summary};
use self::time::Time;
use crate::checkout::Checkout;
use crate::process;
use crate::progress::{seconds as in_words, step as timed};

/// Runs the steps and prints the result of each.
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
    let time = Time::new(options.within);
    let outcomes = run_all(checkout, options, &steps, &time);
    let failure = outcomes
        .iter()
        .find_map(|outcome| Some((outcome.name, outcome.result.as_ref().err()?)));
    if let Some((name, error)) = failure {
        if process::is_interrupted() {
            bail!("stopped");
        }
        eprintln!(
            "error: the step `{name}` failed: {error:#}; \
             `cargo xtask test --only {name}` runs it alone"
        );
    }
    println!("{}", summary(&steps, &outcomes, start.elapsed()));
    if failure.is_some() {
        // The error is printed before the table. Returned, it would be printed again.
        std::process::exit(1);
    }
    Ok(())
}

/// Runs the steps, some of them in the background. After a failure, and when the time is up, no
/// further step starts, and the steps in the background end.
fn run_all(
    checkout: &Checkout,
    options: &Options,
    steps: &[&'static Step],
    time: &Time,
) -> Vec<Outcome> {
    let (beside, others): (Vec<_>, Vec<_>) = steps
        .iter()
        .partition(|step| runs_in_background(step, steps));
    // The first step is the build. It installs the tools of all further steps and holds Cargo's
    // lock, so it runs by itself.
    let (build, others) = others.split_at(usize::from(!beside.is_empty()));
    let is_ending = AtomicBool::new(false);
    let mut outcomes = run_in_turn(checkout, options, build, time, &is_ending);
    if is_ending.load(Ordering::SeqCst) {
        return outcomes;
    }
    let beside: Vec<_> = beside
        .into_iter()
        .filter(|step| time.is_enough(step))
        .collect();
    thread::scope(|scope| {
        let beside = scope.spawn(|| beside::run(checkout, &beside, &is_ending));
        outcomes.extend(run_in_turn(checkout, options, others, time, &is_ending));
        while !beside.is_finished() {
            if time.is_up() {
                is_ending.store(true, Ordering::SeqCst);
            }
            thread::sleep(Duration::from_millis(100));
        }
        for outcome in beside.join().unwrap_or_else(|panic| resume_unwind(panic)) {
            beside::show_output(checkout, outcome.name);
            outcomes.push(outcome);
        }
    });
    outcomes
}

/// Runs the steps in turn, without those that the time is not enough for, until `is_ending` is set.
/// Sets it if a step fails.
fn run_in_turn(
    checkout: &Checkout,
    options: &Options,
    steps: &[&'static Step],
    time: &Time,
    is_ending: &AtomicBool,
) -> Vec<Outcome> {
    let mut outcomes = Vec::new();
    for one in steps {
        if is_ending.load(Ordering::SeqCst) {
            break;
        }
        if !time.is_enough(one) {
            continue;
        }
        let start = Instant::now();
        let result = timed(&format!("{}: {}", one.name, one.what), || {
            (one.run)(checkout, options)
        });
        is_ending.fetch_or(result.is_err(), Ordering::SeqCst);
        time.record(one, start.elapsed());
        outcomes.push(Outcome {
            name: one.name,
            took: start.elapsed(),
            result,
        });
    }
    outcomes
}
