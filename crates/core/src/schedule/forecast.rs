//! When a task is likely to end, and when to poll it.
//!
//! `spacing` has the intervals.

use super::durations::Durations;
use super::pace::Pace;
use super::poll::{self, usual_polls};
use super::spacing::{next_interval, time_of_share};

/// Where a smaller share of tasks runs for so long, nothing is known of those that do.
const OVERDUE: f64 = 0.05;
/// How often the time until no such task runs is halved to find when one is likely to end: to milliseconds of a day.
const ETA_STEPS: u32 = 27;
/// How many times more a poll is to find where a task's own progress is all that is known of it: it may mislead.
const PROGRESS_EXCESS: f64 = 4.0;

/// The seconds that a task is likely to run on.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde_json", derive(serde::Serialize, serde::Deserialize))]
pub struct Eta {
    /// The time left is as likely longer as shorter.
    pub seconds: f64,
    /// Of ten such tasks, nine run on for longer.
    pub low: f64,
    /// Of ten such tasks, nine have ended by then.
    pub high: f64,
}

/// What is known of the end of a running task.
#[derive(Clone, Copy, Debug)]
pub struct Forecast<'a> {
    durations: Option<&'a Durations>,
    pace: Option<&'a Pace>,
    elapsed: f64,
    /// The share of the tasks that still run which each poll is to find ended.
    share: f64,
    /// When no such task still runs, in seconds from its beginning.
    end: f64,
}

impl<'a> Forecast<'a> {
    /// The forecast for a task that was created `elapsed` seconds ago, from what such tasks took and from its own progress;
    /// `None` where neither lets one conclude anything.
    pub fn new(
        durations: Option<&'a Durations>,
        pace: Option<&'a Pace>,
        elapsed: f64,
    ) -> Option<Self> {
        let durations = durations.filter(|it| it.is_known());
        let pace = pace.filter(|it| it.end().is_some());
        let (share, end) = match (durations, pace.and_then(Pace::end)) {
            (None, None) => return None,
            (Some(it), end) => (it.share(), it.greatest().max(end.unwrap_or_default())),
            (None, Some(end)) => (PROGRESS_EXCESS / usual_polls(end), end),
        };
        // A clock may have been set.
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
            end: end * 2.0,
        })
    }

    /// The seconds until the next poll. `random` is from 0 to 1, so that tasks that began together are not polled together.
    pub fn wait(&self, random: f64) -> f64 {
        let share = self.share * (0.75 + random.clamp(0.0, 1.0) / 2.0);
        next_interval(&|at| self.running(at), self.elapsed, share)
    }

    /// The seconds that are likely left; `None` where the task runs for longer than such tasks do.
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

    /// The share of such tasks, from 0 to 1, that still run after some seconds.
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

/// Milliseconds to wait after poll number `poll_count` (from 1): until the forecast's next poll, and without a forecast as
/// [`poll::delay`], which says what `retry_after_ms` and `random` are.
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
