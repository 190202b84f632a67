//! Spreads runs that are due at once. After a restart, the alarms of all pipelines are due.

use std::cell::Cell;

/// The runs that may begin at once in one isolate.
const BURST: f64 = 20.0;
/// The runs that may begin per second after that.
const PER_SECOND: f64 = 20.0;
/// The shortest and the longest delay of a run, in milliseconds.
const PUT_OFF_MS: (f64, f64) = (1_000.0, 9_000.0);

/// A token bucket of the runs that may begin in an isolate. A run that is put off takes no token.
pub(super) struct RunStarts {
    left: Cell<f64>,
    filled_at: Cell<i64>,
}

thread_local! {
    static SHARED: RunStarts = const {
        RunStarts { left: Cell::new(BURST), filled_at: Cell::new(0) }
    };
}

impl RunStarts {
    /// Returns true if a run may begin now, and counts it in that case.
    pub(super) fn take(now: i64) -> bool {
        SHARED.with(|starts| starts.may_begin(now))
    }

    /// Returns the time at which a run that is put off tries again, in milliseconds since 1970.
    /// `random` is between 0 and 1.
    pub(super) fn retry_at(now: i64, random: f64) -> i64 {
        let (min, max) = PUT_OFF_MS;
        now + (min + (max - min) * random) as i64
    }

    fn may_begin(&self, now: i64) -> bool {
        let passed = (now - self.filled_at.replace(now)).max(0) as f64;
        let left = (self.left.get() + passed * PER_SECOND / 1_000.0).min(BURST);
        let may_begin = left >= 1.0;
        self.left.set(if may_begin { left - 1.0 } else { left });
        may_begin
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the time at which the last of some due runs begins, in milliseconds. `retry_at`
    /// returns the next attempt of a run that is put off.
    fn last_begins_at(runs: usize, retry_at: impl Fn(i64, usize) -> i64) -> i64 {
        let starts = RunStarts {
            left: Cell::new(BURST),
            filled_at: Cell::new(0),
        };
        let mut due: Vec<(i64, usize)> = (0..runs).map(|run| (1, run)).collect();
        loop {
            due.sort_unstable();
            let (now, run) = due.remove(0);
            if !starts.may_begin(now) {
                due.push((retry_at(now, run), run));
            } else if due.is_empty() {
                return now;
            }
        }
    }

    #[test]
    fn each_due_run_begins_soon_whoever_wakes_it_meanwhile() {
        let random = |now: i64, run: usize| (now as usize * 31 + run * 17) % 100;
        let put_off = |now, run| RunStarts::retry_at(now, random(now, run) as f64 / 100.0);
        let last = last_begins_at(1_000, put_off);
        assert!((49_000..70_000).contains(&last), "{last}");
        let read_all_the_time = last_begins_at(1_000, |now, _| now + 100);
        assert!(
            (48_000..52_000).contains(&read_all_the_time),
            "{read_all_the_time}"
        );
    }
}
