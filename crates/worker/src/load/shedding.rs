//! Limits the requests of each caller per minute, with a token bucket. Times are milliseconds.

use std::cell::RefCell;
use std::collections::HashMap;

/// The most callers in memory. A full map is cleared, since the limit only has to be approximate.
const MAX_CALLERS: usize = 10_000;
const MINUTE_MS: f64 = 60_000.0;

pub(crate) struct Shedder {
    /// The requests per minute; 0 is no limit.
    limit: f64,
    buckets: RefCell<HashMap<String, Bucket>>,
}

struct Bucket {
    left: f64,
    seen: f64,
}

impl Shedder {
    pub(crate) fn new(per_minute: u32) -> Self {
        Shedder {
            limit: per_minute.into(),
            buckets: RefCell::new(HashMap::new()),
        }
    }

    /// Counts a request of a caller. The error is the number of seconds until the next request is
    /// admitted.
    pub(crate) fn take(&self, caller: &str, now: f64) -> Result<(), u32> {
        if self.limit == 0.0 {
            return Ok(());
        }
        let mut buckets = self.buckets.borrow_mut();
        if buckets.len() >= MAX_CALLERS && !buckets.contains_key(caller) {
            // A bucket is full after a minute, and a new one starts full.
            buckets.retain(|_, bucket| now - bucket.seen < MINUTE_MS);
            if buckets.len() >= MAX_CALLERS {
                buckets.clear();
            }
        }
        let bucket = buckets.entry(caller.to_owned()).or_insert(Bucket {
            left: self.limit,
            seen: now,
        });
        let filled = (now - bucket.seen).max(0.0) * self.limit / MINUTE_MS;
        bucket.left = (bucket.left + filled).min(self.limit);
        bucket.seen = now;
        if bucket.left >= 1.0 {
            bucket.left -= 1.0;
            return Ok(());
        }
        Err(((1.0 - bucket.left) * 60.0 / self.limit).ceil().max(1.0) as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_caller_has_a_rate_of_its_own() {
        let shedder = Shedder::new(30);
        let taken = (0..100).filter(|_| shedder.take("a", 0.0).is_ok()).count();
        assert_eq!(taken, 30);
        assert_eq!(shedder.take("a", 0.0), Err(2));
        assert_eq!(shedder.take("b", 0.0), Ok(()));
        assert_eq!(shedder.take("a", 2_000.0), Ok(()));
        assert_eq!(
            (0..100)
                .filter(|_| shedder.take("a", 120_000.0).is_ok())
                .count(),
            30
        );
    }

    #[test]
    fn memory_is_bounded_for_any_number_of_callers() {
        let shedder = Shedder::new(1);
        for index in 0..3 * MAX_CALLERS {
            let _ = shedder.take(&index.to_string(), 0.0);
        }
        assert!(shedder.buckets.borrow().len() <= MAX_CALLERS);
        assert_eq!(Shedder::new(0).take("a", 0.0), Ok(()));
    }

    #[test]
    fn a_bucket_fills_evenly_up_to_a_minutes_requests() {
        let shedder = Shedder::new(6);
        let taken = |now: f64| {
            (0..100)
                .take_while(|_| shedder.take("a", now).is_ok())
                .count()
        };
        assert_eq!(taken(0.0), 6);
        for (now, more, wait) in [
            (5_000.0, 0, 5),
            (10_000.0, 1, 10),
            (31_000.0, 2, 9),
            (90_000.0, 6, 10),
        ] {
            assert_eq!(
                (taken(now), shedder.take("a", now)),
                (more, Err(wait)),
                "at {now}"
            );
        }
        assert_eq!(
            shedder.take("a", 80_000.0),
            Err(10),
            "a clock that is set back fills nothing"
        );
        assert_eq!(Shedder::new(120).take("a", 0.0), Ok(()));
        let fast = Shedder::new(120);
        (0..120).for_each(|_| assert_eq!(fast.take("a", 0.0), Ok(())));
        assert_eq!(fast.take("a", 0.0), Err(1), "never less than a second");
    }

    #[test]
    fn if_there_are_too_many_callers_those_of_the_last_minute_stay() {
        let shedder = Shedder::new(1);
        let start = 1_800_000_000_000.0;
        for index in 0..MAX_CALLERS {
            let at = start + if index == 0 { 1.0 } else { 0.0 };
            assert_eq!(shedder.take(&index.to_string(), at), Ok(()));
        }
        assert!(
            shedder.take("0", start + 30_000.0).is_err(),
            "a known caller clears nothing"
        );
        assert_eq!(shedder.buckets.borrow().len(), MAX_CALLERS);
        assert_eq!(shedder.take("new", start + 60_000.0), Ok(()));
        assert_eq!(
            shedder.buckets.borrow().len(),
            2,
            "the new one, and the one seen after 30 seconds"
        );
    }
}
