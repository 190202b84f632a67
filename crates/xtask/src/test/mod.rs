//! `cargo xtask test`: runs named steps. The first failure ends the run.

mod background;
mod node;
mod step;
mod steps;

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

pub(crate) use self::step::Options;
use self::step::{Outcome, Step};
use crate::checkout::Checkout;
use crate::process::POLL_INTERVAL;
use crate::progress::{in_words, step as timed};

/// Runs the steps and prints the result of each, also of those that did not run.
pub(crate) fn run(checkout: &Checkout, options: &Options) -> Result<()> {
    let steps = options.steps()?;
    let run = Run {
        checkout,
        options,
        start: Instant::now(),
        is_ending: AtomicBool::new(false),
    };
    let outcomes = run.all(&steps)?;
    for step in steps {
        let outcome = outcomes.iter().find(|outcome| outcome.step == step);
        let (result, took) = match outcome {
            Some(outcome) if outcome.result.is_ok() => ("passed", in_words(outcome.took)),
            Some(outcome) => ("FAILED", in_words(outcome.took)),
            None => ("not run", String::new()),
        };
        println!("{step:<12}{result:<8}{took:>14}");
    }
    println!("in all {}", in_words(run.start.elapsed()));
    for Outcome { step, result, .. } in outcomes {
        result.with_context(|| {
            format!("the step `{step}` failed; `cargo xtask test --only {step}` runs it alone")
        })?;
    }
    Ok(())
}

/// A run of several steps. After a failure, and when the time is up, no further step starts, and
/// the step in the background ends.
struct Run<'a> {
    checkout: &'a Checkout,
    options: &'a Options,
    start: Instant,
    is_ending: AtomicBool,
}

impl Run<'_> {
    /// Runs the steps, the tests in Rust in the background of the others. The build installs the
    /// tools of all further steps and holds Cargo's lock, so it runs by itself.
    fn all(&self, steps: &[Step]) -> Result<Vec<Outcome>> {
        let [Step::Build, Step::Rust, others @ ..] = steps else {
            return Ok(self.in_turn(steps));
        };
        let mut outcomes = self.in_turn(&[Step::Build]);
        if self.is_ending.load(Ordering::SeqCst) {
            return Ok(outcomes);
        }
        let rust = thread::scope(|scope| {
            let (checkout, is_ending) = (self.checkout.clone(), &self.is_ending);
            let rust = scope.spawn(move || background::run(&checkout, Step::Rust, is_ending));
            outcomes.extend(self.in_turn(others));
            while !rust.is_finished() {
                self.end_in_time();
                thread::sleep(POLL_INTERVAL);
            }
            rust.join().unwrap_or_else(|panic| resume_unwind(panic))
        });
        if let Some(rust) = rust {
            background::show_output(self.checkout, rust.step)?;
            outcomes.push(rust);
        }
        Ok(outcomes)
    }

    fn in_turn(&self, steps: &[Step]) -> Vec<Outcome> {
        let mut outcomes = Vec::new();
        for &step in steps {
            self.end_in_time();
            if self.is_ending.load(Ordering::SeqCst) {
                break;
            }
            let start = Instant::now();
            let result = timed(&format!("step {step}"), || {
                steps::run(step, self.checkout, self.options)
            });
            self.is_ending.fetch_or(result.is_err(), Ordering::SeqCst);
            let took = start.elapsed();
            outcomes.push(Outcome { step, took, result });
        }
        outcomes
    }

    /// Ends the run once it has taken as long as the options allow.
    fn end_in_time(&self) {
        let limit = self.options.within;
        let limit = limit.map(|minutes| Duration::from_secs(60 * minutes));
        if limit.is_some_and(|limit| self.start.elapsed() > limit) {
            self.is_ending.store(true, Ordering::SeqCst);
        }
    }
}
