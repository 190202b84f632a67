//! A circuit breaker: after a number of failures in a row, no request is sent for a while. Times
//! are in milliseconds.

use std::cell::Cell;

/// The time that the breaker stays open, and the time until another probe if a probe has no result.
const OPEN_MS: f64 = 10_000.0;

/// Counts failures to reach the upstream. An error response of the upstream itself is no failure.
pub(crate) struct Breaker {
    /// The number of failures in a row that opens the breaker; 0 disables it.
    threshold: u32,
    failures: Cell<u32>,
    open_until: Cell<f64>,
}

impl Breaker {
    pub(crate) fn new(threshold: u32) -> Self {
        Breaker {
            threshold,
            failures: Cell::new(0),
            open_until: Cell::new(0.0),
        }
    }

    /// Admits a request if the upstream is likely to be reached. Once the breaker may close, it
    /// admits one read as a probe. A create is never the probe, because a failed create may have
    /// been charged. The error is the seconds to wait.
    pub(crate) fn admit(&self, is_read: bool, now: f64) -> Result<(), u32> {
        if self.threshold == 0 || self.failures.get() < self.threshold {
            return Ok(());
        }
        let remaining = self.open_until.get() - now;
        if remaining > 0.0 {
            return Err((remaining / 1000.0).ceil() as u32);
        }
        if !is_read {
            return Err(1);
        }
        self.open_until.set(now + OPEN_MS);
        Ok(())
    }

    /// Counts a request. `reached` is false if the request failed.
    pub(crate) fn report(&self, reached: bool, now: f64) {
        if reached {
            self.failures.set(0);
            return;
        }
        self.failures.set(self.failures.get().saturating_add(1));
        if self.failures.get() >= self.threshold {
            self.open_until.set(now + OPEN_MS);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_opens_and_after_a_while_lets_one_read_probe() {
        let breaker = Breaker::new(2);
        breaker.report(false, 0.0);
        assert_eq!(breaker.admit(false, 0.0), Ok(()));
        breaker.report(false, 0.0);
        assert_eq!(breaker.admit(true, 1.0), Err(10));
        assert_eq!(breaker.admit(true, 9_999.0), Err(1));
        assert_eq!(breaker.admit(false, 20_000.0), Err(1));
        assert_eq!(breaker.admit(true, 20_000.0), Ok(()));
        assert_eq!(breaker.admit(true, 20_001.0), Err(10));
        breaker.report(false, 20_500.0);
        assert_eq!(breaker.admit(true, 30_400.0), Err(1));
        assert_eq!(breaker.admit(true, 30_500.0), Ok(()));
        breaker.report(true, 30_600.0);
        assert_eq!(breaker.admit(false, 30_600.0), Ok(()));
    }

    #[test]
    fn success_resets_it_and_zero_switches_it_off() {
        let breaker = Breaker::new(2);
        for _ in 0..9 {
            breaker.report(false, 0.0);
            breaker.report(true, 0.0);
        }
        assert_eq!(breaker.admit(false, 0.0), Ok(()));
        let off = Breaker::new(0);
        (0..99).for_each(|_| off.report(false, 0.0));
        assert_eq!(off.admit(false, 0.0), Ok(()));
    }
}
