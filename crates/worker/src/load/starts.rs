//! Spreads work of Durable Objects that is due at once. After a restart, all alarms are due.

use std::cell::Cell;

/// The shortest and the longest delay of work that is put off, in milliseconds.
const PUT_OFF_MS: (f64, f64) = (1_000.0, 9_000.0);

/// A token bucket of the work that may begin in an isolate: so much at once, and as much per second
/// after that. Work that is put off takes no token.
pub(crate) struct Starts {
    per_second: f64,
    left: Cell<f64>,
    filled_at: Cell<i64>,
}

impl Starts {
    pub(crate) const fn new(per_second: f64) -> Self {
        Starts {
            per_second,
            left: Cell::new(per_second),
            filled_at: Cell::new(0),
        }
    }

    /// Returns the delay of work that is put off, in milliseconds. `random` is between 0 and 1.
    pub(crate) fn delay_ms(random: f64) -> f64 {
        let (min, max) = PUT_OFF_MS;
        min + (max - min) * random
    }

    /// Returns true if work may begin now, and counts it in that case. `now` is in milliseconds
    /// since 1970.
    pub(crate) fn take(&self, now: i64) -> bool {
        let passed = (now - self.filled_at.replace(now)).max(0) as f64;
        let left = (self.left.get() + passed * self.per_second / 1_000.0).min(self.per_second);
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
        let starts = Starts::new(20.0);
        let mut due: Vec<(i64, usize)> = (0..runs).map(|run| (1, run)).collect();
        loop {
            due.sort_unstable();
            let (now, run) = due.remove(0);
            if !starts.take(now) {
                due.push((retry_at(now, run), run));
            } else if due.is_empty() {
                return now;
            }
        }
    }

    #[test]
    fn each_due_run_begins_soon_whoever_wakes_it_meanwhile() {
        let random = |now: i64, run: usize| (now as usize * 31 + run * 17) % 100;
        let put_off = |now, run| now + Starts::delay_ms(random(now, run) as f64 / 100.0) as i64;
        let last = last_begins_at(1_000, put_off);
        assert!((49_000..70_000).contains(&last), "{last}");
        let read_all_the_time = last_begins_at(1_000, |now, _| now + 100);
        assert!(
            (48_000..52_000).contains(&read_all_the_time),
            "{read_all_the_time}"
        );
    }
}
