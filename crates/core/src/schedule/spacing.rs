//! The intervals between the polls of a task of a kind whose durations are known.
//!
//! `S(t)` is the share of such tasks, from 0 to 1, that still run `t` seconds after their create. A
//! task is polled at the times `t[0] < t[1] < …` with
//!
//! ```text
//! S(t[i + 1]) = S(t[i]) · (1 − q)
//! ```
//!
//! so that the share `q` of the tasks that ran at one poll has ended at the next. Polls are rare
//! while an end is unlikely, and frequent while it is likely. A task takes `S(t[0]) + S(t[1]) + …`
//! polls on average. [`fitting_share`] chooses `q` so that this is the number of polls at the usual
//! intervals of [`poll`](super::poll).
//!
//! The interval after a poll at `t` has a bound:
//!
//! - While `S(t) > LIKELY`, the interval is at most `t`, clamped to 8 to 60 seconds. If an end
//!   becomes likely before that, the poll comes at most half a usual interval later.
//! - From then on, the interval is at most the usual one.
//! - Once `S(t) < LATE`, the interval is the usual one. Too few tasks ran for so long to conclude
//!   anything.

use super::poll::interval;

/// The shortest interval between two polls, in seconds.
const MIN_INTERVAL: f64 = 0.15;
/// The longest interval between two polls, in seconds.
const MAX_INTERVAL: f64 = 60.0;
/// The bound of an early interval if a task has run for fewer seconds.
const MIN_EARLY_BOUND: f64 = 8.0;

/// An end is likely once no greater share of the tasks runs.
const LIKELY: f64 = 0.965;
/// A task is late once a smaller share of the tasks runs.
const LATE: f64 = 0.02;

/// The bisections that find the time of a poll, to less than a thousandth of its interval.
const INTERVAL_STEPS: u32 = 11;

/// The intended number of polls, as a share of the polls at the usual intervals.
const TARGET: f64 = 0.98;
/// The polls that a task takes more than `S(t[0]) + S(t[1]) + …`, since intervals are random.
const EXTRA_POLLS: f64 = 0.5;
const ROUNDS: u32 = 4;
/// The largest number of polls that is counted. More take long to count, and `Durations` corrects
/// the share after each task.
const MAX_COUNTED: u32 = 300;
const MIN_SHARE: f64 = 0.003;
pub(super) const MAX_SHARE: f64 = 0.9;

/// Returns the share `q` at which tasks take about as many polls as at the usual intervals.
/// `running` is `S(t)`. No task runs after `end` seconds. At the usual intervals a task takes
/// `usual_polls` on average.
pub(super) fn fitting_share(running: impl Fn(f64) -> f64, end: f64, usual_polls: f64) -> f64 {
    let target = usual_polls * TARGET;
    let mut share = 1.0 / target;
    for _ in 0..ROUNDS {
        let polls = average_polls(&running, end, share) + EXTRA_POLLS;
        // The number of polls is about proportional to `1 / share`.
        share *= polls / target;
        share = share.clamp(MIN_SHARE, MAX_SHARE);
    }
    share
}

fn average_polls(running: &impl Fn(f64) -> f64, end: f64, share: f64) -> f64 {
    let mut at = 0.0;
    let mut polls = 0.0;
    for _ in 0..MAX_COUNTED {
        polls += running(at);
        at += next_interval(running, at, share);
        if at >= end {
            break;
        }
    }
    polls
}

/// Returns the seconds from a poll at `elapsed` to the next one. `running` is `S(t)`, and `share`
/// is `q`.
pub(super) fn next_interval(running: &impl Fn(f64) -> f64, elapsed: f64, share: f64) -> f64 {
    let running_now = running(elapsed);
    if running_now < LATE {
        return interval(elapsed);
    }
    let latest = if running_now > LIKELY {
        latest_early_poll(running, elapsed)
    } else {
        elapsed + interval(elapsed)
    };
    let next = time_of_share(
        running,
        elapsed,
        latest,
        running_now * (1.0 - share),
        INTERVAL_STEPS,
    );
    // In floating point, `(elapsed + interval) - elapsed` may be more than `interval`.
    (next - elapsed).clamp(MIN_INTERVAL, MAX_INTERVAL)
}

fn latest_early_poll(running: &impl Fn(f64) -> f64, elapsed: f64) -> f64 {
    let bound = elapsed + elapsed.clamp(MIN_EARLY_BOUND, MAX_INTERVAL);
    let likely = time_of_share(running, elapsed, bound, LIKELY, INTERVAL_STEPS);
    // At the usual intervals, an end is seen half an interval late.
    (likely + interval(likely) / 2.0)
        .min(bound)
        .max(elapsed + interval(elapsed))
}

/// Bisects `from..to` for the first time at which at most `share` of the tasks still runs. Returns
/// `to` if there is none.
pub(super) fn time_of_share(
    running: &impl Fn(f64) -> f64,
    from: f64,
    to: f64,
    share: f64,
    steps: u32,
) -> f64 {
    let mut low = from;
    let mut high = to;
    for _ in 0..steps {
        let middle = (low + high) / 2.0;
        if running(middle) > share {
            low = middle;
        } else {
            high = middle;
        }
    }
    high
}
