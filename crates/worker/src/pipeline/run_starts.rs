//! Spreads the runs that are due at the same time. After a restart, the alarms of all pipelines are due at once.

use std::cell::Cell;

/// Runs that may begin at once in one isolate.
const BURST: f64 = 20.0;
/// Runs that may begin in a second after that.
const PER_SECOND: f64 = 20.0;
/// Milliseconds for which a run is put off at least, and at most.
const PUT_OFF_MS: (f64, f64) = (1_000.0, 9_000.0);

/// The runs that may begin in an isolate: a token bucket, from which only runs that begin take.
pub(super) struct RunStarts {
    left: Cell<f64>,
    /// In milliseconds since 1970.
    filled_at: Cell<i64>,
}

thread_local! {
    static SHARED: RunStarts = const { RunStarts { left: Cell::new(BURST), filled_at: Cell::new(0) } };
}

impl RunStarts {
    /// Returns whether a run may begin now, and counts it if so.
    pub(super) fn take(now: i64) -> bool {
        SHARED.with(|starts| starts.may_begin(now))
    }

    /// Returns when a run that may not begin tries again, in milliseconds since 1970. `random` is from 0 to 1.
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

    /// When the last of some due runs begins, in milliseconds, if each tries again as often as `pause` says.
    fn last_begins_at(runs: usize, pause: impl Fn(i64, usize) -> i64) -> i64 {
        let starts = RunStarts {
            left: Cell::new(BURST),
            filled_at: Cell::new(0),
        };
        let mut due: Vec<(i64, usize)> = (0..runs).map(|run| (1, run)).collect();
        loop {
            due.sort_unstable();
            let (now, run) = due.remove(0);
            if !starts.may_begin(now) {
                due.push((pause(now, run), run));
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
