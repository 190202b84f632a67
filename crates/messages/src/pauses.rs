use std::time::Duration;

use mediagate_core::schedule::jitter;
use worker::Delay;

const FIRST_MS: u32 = 2_000;
/// The most doublings of the pause: to about four minutes.
const MAX_DOUBLINGS: u32 = 7;

/// The pauses after failures in a row. Each is about twice as long as the one before: an object may
/// not respond for hours, and each request to it costs.
#[derive(Default)]
pub struct Pauses {
    failures: u32,
}

impl Pauses {
    pub async fn wait(&mut self) {
        self.wait_at_least(Duration::ZERO).await;
    }

    pub async fn wait_at_least(&mut self, shortest: Duration) {
        let pause = self.next(js_sys::Math::random());
        Delay::from(pause.max(shortest)).await;
    }

    /// Returns the next pause. `random` is between 0 and 1.
    fn next(&mut self, random: f64) -> Duration {
        let doublings = self.failures.min(MAX_DOUBLINGS);
        self.failures = self.failures.saturating_add(1);
        Duration::from_millis(jitter(FIRST_MS << doublings, random).into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_silent_object_is_asked_rarely_after_a_while() {
        let mut pauses = Pauses::default();
        let seconds: Vec<u64> = (0..10).map(|_| pauses.next(0.5).as_secs()).collect();
        assert_eq!(seconds, [2, 4, 8, 16, 32, 64, 128, 256, 256, 256]);
        assert!(pauses.next(1.0) < Duration::from_secs(6 * 60));
    }
}
