//! The likely end of a running task, and the time of its next poll.
//!
//! `spacing` has the intervals.

use super::durations::Durations;
use super::pace::Pace;
use super::poll::{self, usual_polls};
use super::spacing::{next_interval, time_of_share};

/// A task is overdue if less than this share of such tasks ever ran for so long. Too few durations
/// remain then to estimate its end.
const OVERDUE: f64 = 0.05;
/// The bisections that find an estimate. For an end within a day, they find the millisecond.
const ETA_STEPS: u32 = 27;
/// The factor for the share that each poll finds ended, if only a task's own progress is known.
/// Progress may mislead, so fewer polls are spent on it.
const PROGRESS_EXCESS: f64 = 4.0;

/// An estimate of the remaining seconds of a task.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde_json", derive(serde::Serialize, serde::Deserialize))]
pub struct Eta {
    /// The median: half of such tasks run on for longer.
    pub seconds: f64,
    /// Nine in ten such tasks run on for longer.
    pub low: f64,
    /// Nine in ten such tasks have ended by then.
    pub high: f64,
}

/// A forecast of the end of a running task.
#[derive(Clone, Copy, Debug)]
pub struct Forecast<'a> {
    durations: Option<&'a Durations>,
    pace: Option<&'a Pace>,
    elapsed: f64,
    /// The share of the still running tasks that have ended at the next poll.
    share: f64,
    /// The time after which no such task still runs, in seconds from the beginning.
    end: f64,
}

impl<'a> Forecast<'a> {
    /// Forecasts the end of a task that was created `elapsed` seconds ago, from the durations of
    /// such tasks and from its own progress. Returns `None` if neither allows a prediction.
    pub fn new(
        durations: Option<&'a Durations>,
        pace: Option<&'a Pace>,
        elapsed: f64,
    ) -> Option<Self> {
        let durations = durations.filter(|durations| durations.is_known());
        let pace = pace.filter(|pace| pace.end().is_some());
        let (share, end) = match (durations, pace.and_then(Pace::end)) {
            (None, None) => return None,
            (Some(durations), end) => {
                let end = durations.greatest().max(end.unwrap_or_default());
                (durations.share(), end)
            }
            (None, Some(end)) => (PROGRESS_EXCESS / usual_polls(end), end),
        };
        // The clock may have been set since the create, so `elapsed` may be negative.
        let elapsed = if elapsed.is_finite() {
            elapsed.max(0.0)
        } else {
            0.0
        };
        Some(Forecast {
            durations,
            pace,
            elapsed,
            share,
            // The longest known duration is no bound: a task may take longer than all before.
            end: end * 2.0,
        })
    }

    /// Returns the seconds until the next poll. `random`, from 0 to 1, spreads the polls of tasks
    /// that began together.
    pub fn wait(&self, random: f64) -> f64 {
        let share = self.share * (0.75 + random.clamp(0.0, 1.0) / 2.0);
        next_interval(&|at| self.running(at), self.elapsed, share)
    }

    /// Estimates the remaining seconds. Returns `None` if the task is overdue.
    pub fn eta(&self) -> Option<Eta> {
        let left = self.running(self.elapsed);
        let after = |share: f64| {
            let end = self.elapsed + self.end;
            time_of_share(
                &|at| self.running(at),
                self.elapsed,
                end,
                left * share,
                ETA_STEPS,
            ) - self.elapsed
        };
        (left >= OVERDUE).then(|| Eta {
            seconds: after(0.5),
            low: after(0.9),
            high: after(0.1),
        })
    }

    fn running(&self, seconds: f64) -> f64 {
        match (self.durations, self.pace) {
            (Some(durations), Some(pace)) => {
                (durations.running(seconds) + pace.running(seconds)) / 2.0
            }
            (Some(durations), None) => durations.running(seconds),
            (None, Some(pace)) => pace.running(seconds),
            (None, None) => 1.0,
        }
    }
}

/// Returns the milliseconds to wait after poll number `poll_count` (from 1).
///
/// They last until the forecast's next poll. Without a forecast, they come from [`poll::delay`],
/// which documents `retry_after_ms` and `random`.
pub fn delay(
    forecast: Option<Forecast<'_>>,
    poll_count: u32,
    retry_after_ms: Option<u32>,
    random: f64,
) -> u32 {
    let Some(forecast) = forecast else {
        return poll::delay(poll_count, retry_after_ms, random);
    };
    let random = if random.is_nan() { 0.5 } else { random };
    let requested = retry_after_ms.unwrap_or(0).min(poll::MAX_WAIT_MS);
    ((forecast.wait(random) * 1000.0) as u32).max(requested)
}
