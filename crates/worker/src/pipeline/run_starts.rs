//! Spreads the runs that begin at the same time. After a restart, the alarms of all pipelines are due at once.

use std::cell::Cell;

/// Milliseconds between two runs that begin in one isolate.
const INTERVAL_MS: i64 = 50;
/// How long a run waits at most without giving up its place to its alarm, in milliseconds.
const MAX_BURST_MS: i64 = 1_000;

/// The runs of an isolate.
#[derive(Default)]
pub(super) struct RunStarts {
    /// When the next run may begin, in milliseconds since 1970.
    next: Cell<i64>,
}

thread_local! {
    static SHARED: RunStarts = RunStarts::default();
}

impl RunStarts {
    /// Returns when a run may begin that is due now; `None` if that is now.
    pub(super) fn place(now: i64) -> Option<i64> {
        SHARED.with(|starts| starts.take(now))
    }

    fn take(&self, now: i64) -> Option<i64> {
        let place = self.next.get().max(now);
        self.next.set(place + INTERVAL_MS);
        (place > now + MAX_BURST_MS).then_some(place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_that_are_due_at_once_begin_one_after_the_other() {
        let starts = RunStarts::default();
        let places: Vec<_> = (0..271).map(|_| starts.take(1_000)).collect();
        assert_eq!(places.iter().filter(|place| place.is_none()).count(), 21);
        let later: Vec<i64> = places.into_iter().flatten().collect();
        assert!(later.windows(2).all(|pair| pair[1] - pair[0] == INTERVAL_MS));
        assert_eq!(starts.take(later[249] + 10_000), None, "a quiet isolate waits for nobody");
    }
}
