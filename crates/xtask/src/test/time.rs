//! The time of a run that must end, such as in CI.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use super::step::Step;

/// The time that a run has, and what its steps took so far.
pub(super) struct Time {
    start: Instant,
    limit: Option<Duration>,
    /// What the steps in the foreground took, and their budgets.
    spent: Mutex<(Duration, Duration)>,
}

impl Time {
    /// Starts the time of a run, which may be limited to a number of minutes.
    pub(super) fn new(minutes: Option<u64>) -> Self {
        Self {
            start: Instant::now(),
            limit: minutes.map(|minutes| Duration::from_secs(60 * minutes)),
            spent: Mutex::default(),
        }
    }

    /// Records what a step took.
    pub(super) fn record(&self, step: &Step, took: Duration) {
        let mut spent = self.spent.lock().unwrap_or_else(|error| error.into_inner());
        *spent = (spent.0 + took, spent.1 + step.budget);
    }

    /// Returns true if a step will probably end in time: with its budget, or on a slower machine
    /// with as much more as the steps before it took. The first step always runs, as the others are
    /// nothing without it.
    pub(super) fn is_enough(&self, step: &Step) -> bool {
        let spent = self.spent.lock().unwrap_or_else(|error| error.into_inner());
        let slowness = match spent.1.as_secs_f64() {
            0.0 => return true,
            budgets => (spent.0.as_secs_f64() / budgets).max(1.0),
        };
        let end = self.start.elapsed() + step.budget.mul_f64(slowness);
        self.limit.is_none_or(|limit| end <= limit)
    }

    /// Returns true if the run should have ended.
    pub(super) fn is_up(&self) -> bool {
        self.limit
            .is_some_and(|limit| self.start.elapsed() >= limit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(seconds: u64) -> Step {
        Step::new("step", "nothing", Duration::from_secs(seconds), |_, _| {
            Ok(())
        })
    }

    #[test]
    fn a_step_that_would_end_too_late_is_left_out() {
        let time = Time::new(Some(10));
        assert!(time.is_enough(&step(3600)), "the first step");
        time.record(&step(60), Duration::from_secs(30));
        assert!(time.is_enough(&step(590)), "faster is no reason for more");
        assert!(!time.is_enough(&step(601)));
        time.record(&step(60), Duration::from_secs(330));
        assert!(time.is_enough(&step(190)), "three times as slow");
        assert!(!time.is_enough(&step(201)));
        assert!(!time.is_up());
    }

    #[test]
    fn a_run_without_a_limit_has_every_step() {
        let time = Time::new(None);
        time.record(&step(1), Duration::from_secs(100));
        assert!(time.is_enough(&step(1_000_000)) && !time.is_up());
    }
}
