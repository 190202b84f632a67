//! How fast a task's own progress moves.

use libm::log;

use super::logistic;

/// The least progress between the first report and the last, from which anything is concluded.
const MIN_MOVED: f64 = 0.1;
/// How many times later than at first concluded an end may be expected.
const MAX_DELAY: f64 = 1.5;
/// How far a prediction reaches to either side, in the logarithm of the time that is left.
const WIDTH: f64 = 0.25;

/// The first and the last report of a task's progress.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde_json", derive(serde::Serialize, serde::Deserialize))]
pub struct Pace {
    first: Report,
    last: Report,
    /// The first end that was concluded, in seconds from the beginning; 0 before.
    first_end: f64,
}

/// Progress from 0 to 1, after some seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde_json", derive(serde::Serialize, serde::Deserialize))]
struct Report {
    at: f64,
    progress: f64,
}

impl Pace {
    /// Takes a record's progress, from 0 to 1, after `elapsed` seconds. Only what has moved since the last one counts; where
    /// it falls, it begins anew.
    pub fn report(&mut self, elapsed: f64, progress: f64) {
        let report = Report {
            at: elapsed,
            progress,
        };
        if !(0.0..=1.0).contains(&progress) || !elapsed.is_finite() {
            return;
        }
        if progress < self.last.progress || elapsed < self.last.at {
            *self = Pace {
                first: report,
                last: report,
                first_end: 0.0,
            };
        } else if progress > self.last.progress {
            self.last = report;
            if self.first_end == 0.0 {
                self.first_end = self.left().map_or(0.0, |it| self.last.at + it);
            }
        }
    }

    /// The seconds from the last report that are likely left; `None` where the progress has hardly moved.
    fn left(&self) -> Option<f64> {
        let Pace { first, last, .. } = self;
        let moved = last.progress - first.progress;
        let left = (1.0 - last.progress).max(0.01) * (last.at - first.at) / moved;
        (moved >= MIN_MOVED && left > 0.0).then_some(left)
    }

    /// When the task is likely to end, in seconds from its beginning; `None` where that can't be concluded, and where the
    /// progress misleads: the end that it lets one expect moves away.
    pub(super) fn end(&self) -> Option<f64> {
        let end = self.last.at + self.left()?;
        (end <= self.first_end * MAX_DELAY).then_some(end)
    }

    /// The share of such tasks, from 0 to 1, that still run after some seconds.
    pub(super) fn running(&self, seconds: f64) -> f64 {
        let Some(left) = self.left() else { return 1.0 };
        logistic((log(left) - log((seconds - self.last.at).max(1e-3))) / WIDTH)
    }
}
