//! The intervals between polls where it is known what share of such tasks still runs after any time.
//!
//! Each poll has the same chance of finding that the task has ended: so there are few before that is likely, and many where
//! it is. The chance is such that tasks take no more polls than at the intervals of [`poll`](super::poll), which bound those
//! here once an end was likely.

use super::poll::interval;

/// The shortest interval between two polls, in seconds.
const MIN_INTERVAL: f64 = 0.15;
/// While at least this share of tasks still runs, an end is unlikely.
const EARLY: f64 = 0.965;
/// The longest intervals while an end is unlikely: as long as the task runs already, within these seconds.
const EARLY_INTERVALS: (f64, f64) = (8.0, 60.0);
/// Where a smaller share of tasks runs for so long, the next poll comes at the usual interval.
const LATE: f64 = 0.02;
/// How often an interval is halved to find the time of a poll: to less than a thousandth of it.
const STEPS: u32 = 11;

/// The share at which tasks, of which `running` still run after some seconds and none after `end`, take as many polls as at
/// the usual intervals.
pub(super) fn fitting_share(running: impl Fn(f64) -> f64 + Copy, end: f64, usual: f64) -> f64 {
    let usual = usual * MARGIN;
    let mut share = 1.0 / usual;
    for _ in 0..ROUNDS {
        // There are about as many polls as the share is small.
        share *= (polls(running, end, |at| next(running, at, share)) + LAST) / usual;
        share = share.clamp(MIN_SHARE, MAX_SHARE);
    }
    share
}

/// The polls of [`fitting_share`], as a share of the usual ones.
const MARGIN: f64 = 0.98;
/// The rounds in which it comes close enough.
const ROUNDS: u32 = 4;
/// The most polls that are counted: more take long to count, and what is missing is corrected from task to task.
const MAX_FITTED: u32 = 300;
const MIN_SHARE: f64 = 0.003;
pub(super) const MAX_SHARE: f64 = 0.9;
/// What the random intervals add to the polls of a task.
const LAST: f64 = 0.5;

/// The polls that tasks take on average at these intervals, which end at `end`.
fn polls(running: impl Fn(f64) -> f64, end: f64, interval: impl Fn(f64) -> f64) -> f64 {
    let (mut at, mut polls) = (0.0, 0.0);
    for _ in 0..MAX_FITTED {
        polls += running(at);
        at += interval(at);
        if at >= end {
            break;
        }
    }
    polls
}

/// The seconds from one poll to the next, which finds this share of the tasks ended that still run.
pub(super) fn next(running: impl Fn(f64) -> f64, elapsed: f64, share: f64) -> f64 {
    let now = running(elapsed);
    if now < LATE {
        return interval(elapsed);
    }
    let last = match now > EARLY {
        true => {
            let max = elapsed + elapsed.clamp(EARLY_INTERVALS.0, EARLY_INTERVALS.1);
            let likely = solve(&running, elapsed, max, EARLY, STEPS);
            // Those that end from then on are seen as early as usual, or earlier.
            (likely + interval(likely) / 2.0).min(max).max(elapsed + interval(elapsed))
        }
        false => elapsed + interval(elapsed),
    };
    // The difference of two times may be more than what was added to one.
    (solve(&running, elapsed, last, now * (1.0 - share), STEPS) - elapsed).clamp(MIN_INTERVAL, EARLY_INTERVALS.1)
}

/// To `to - from` halved `steps` times, the first time between two at which at most this share of tasks runs; the second where there is none.
pub(super) fn solve(running: &impl Fn(f64) -> f64, from: f64, to: f64, share: f64, steps: u32) -> f64 {
    let (mut low, mut high) = (from, to);
    for _ in 0..steps {
        let middle = (low + high) / 2.0;
        match running(middle) > share {
            true => low = middle,
            false => high = middle,
        }
    }
    high
}
