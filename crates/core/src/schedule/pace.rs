//! The expected end of a task, from the speed of its own progress.

use libm::log;

use super::logistic;

/// The least progress between the first report and the last that allows a prediction.
const MIN_MOVED: f64 = 0.1;
/// The factor by which the predicted end may be later than the first prediction.
const MAX_DELAY: f64 = 1.5;
/// The spread of a prediction to either side, in the logarithm of the time that is left.
const WIDTH: f64 = 0.25;

/// The first and the last report of a task's progress.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde_json", derive(serde::Serialize, serde::Deserialize))]
pub struct Pace {
    first: Report,
    last: Report,
    /// The first predicted end, in seconds from the beginning; 0 before the first prediction.
    first_end: f64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde_json", derive(serde::Serialize, serde::Deserialize))]
struct Report {
    at: f64,
    progress: f64,
}

impl Pace {
    /// Adds a record's progress, from 0 to 1, after `elapsed` seconds. Ignores a report without
    /// movement. Starts over if the progress falls.
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
                self.first_end = self.left().map_or(0.0, |left| self.last.at + left);
            }
        }
    }

    /// Returns the seconds that are likely left; `None` if the progress has hardly moved.
    fn left(&self) -> Option<f64> {
        let Pace { first, last, .. } = self;
        let moved = last.progress - first.progress;
        // A task that reports 100 % still runs, so some time is left.
        let left = (1.0 - last.progress).max(0.01) * (last.at - first.at) / moved;
        (moved >= MIN_MOVED && left > 0.0).then_some(left)
    }

    /// Returns the likely end, in seconds from the beginning. Returns `None` if there is no
    /// prediction, or if the progress misleads: it slows down, so that the end moves away.
    pub(super) fn end(&self) -> Option<f64> {
        let end = self.last.at + self.left()?;
        (end <= self.first_end * MAX_DELAY).then_some(end)
    }

    pub(super) fn running(&self, seconds: f64) -> f64 {
        let Some(left) = self.left() else { return 1.0 };
        logistic((log(left) - log((seconds - self.last.at).max(1e-3))) / WIDTH)
    }
}
