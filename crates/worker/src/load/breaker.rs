//! A circuit breaker: after so many failures in a row the service is left alone for a while. Times are milliseconds.

use std::cell::Cell;

/// How long the service is left alone, and how long a probe may take before another is let by.
const REST_MS: f64 = 10_000.0;

/// Counts failures to reach the service; what the service itself refuses is none.
pub(crate) struct Breaker {
    /// Failures in a row that open it; 0 is never.
    threshold: u32,
    failures: Cell<u32>,
    /// Nothing passes before this moment.
    closed_until: Cell<f64>,
}

impl Breaker {
    pub(crate) fn new(threshold: u32) -> Self {
        Breaker { threshold, failures: Cell::new(0), closed_until: Cell::new(0.0) }
    }

    /// Whether a call may go on; otherwise the seconds to wait. Once the rest is over one read goes first, as a probe: a
    /// create never does, since a failed one may have been charged.
    pub(crate) fn admit(&self, is_read: bool, now: f64) -> Result<(), u32> {
        if self.threshold == 0 || self.failures.get() < self.threshold {
            return Ok(());
        }
        let rest = self.closed_until.get() - now;
        if rest > 0.0 {
            return Err((rest / 1000.0).ceil() as u32);
        }
        if !is_read {
            return Err(1);
        }
        self.closed_until.set(now + REST_MS);
        Ok(())
    }

    /// Notes how a call went.
    pub(crate) fn record(&self, reached: bool, now: f64) {
        if reached {
            self.failures.set(0);
            return;
        }
        self.failures.set(self.failures.get().saturating_add(1));
        if self.failures.get() >= self.threshold {
            self.closed_until.set(now + REST_MS);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_opens_rests_and_lets_one_read_probe() {
        let breaker = Breaker::new(2);
        breaker.record(false, 0.0);
        assert_eq!(breaker.admit(false, 0.0), Ok(()));
        breaker.record(false, 0.0);
        assert_eq!(breaker.admit(true, 1.0), Err(10));
        assert_eq!(breaker.admit(true, 9_999.0), Err(1));
        assert_eq!(breaker.admit(false, 20_000.0), Err(1));
        assert_eq!(breaker.admit(true, 20_000.0), Ok(()));
        assert_eq!(breaker.admit(true, 20_001.0), Err(10));
        breaker.record(false, 20_500.0);
        assert_eq!(breaker.admit(true, 30_400.0), Err(1));
        assert_eq!(breaker.admit(true, 30_500.0), Ok(()));
        breaker.record(true, 30_600.0);
        assert_eq!(breaker.admit(false, 30_600.0), Ok(()));
    }

    #[test]
    fn success_forgets_failures_and_zero_is_off() {
        let breaker = Breaker::new(2);
        for _ in 0..9 {
            breaker.record(false, 0.0);
            breaker.record(true, 0.0);
        }
        assert_eq!(breaker.admit(false, 0.0), Ok(()));
        let off = Breaker::new(0);
        (0..99).for_each(|_| off.record(false, 0.0));
        assert_eq!(off.admit(false, 0.0), Ok(()));
    }
}
