//! Holds polls of the upstream to a rate.

/// The next polls that are due. Times are in milliseconds since 1970.
///
/// Watchers can wait for their turn, and so form a queue; a caller's own read can't. So that reads are served however long the
/// queue is, a share of the rate is theirs while there is one.
#[derive(Debug, Default)]
pub(super) struct Pacer {
    /// When the next poll of the queue may be sent.
    next_at: f64,
    /// When the next of those may be sent that can't wait so long.
    next_urgent_at: f64,
}

/// Who can wait for longer, in milliseconds, waits in the queue.
const MAX_URGENT_MS: f64 = 5_000.0;
/// The share of the rate that is left to those who can't wait, while others do.
const URGENT_SHARE: f64 = 0.25;

/// The polls that may be sent at once after a pause, as milliseconds of the rate.
const BURST_MS: f64 = 1_000.0;

impl Pacer {
    /// The milliseconds to wait before a poll, which is counted; `None` where that is more than `max_wait_ms`, and the poll is
    /// not counted.
    pub(super) fn take(&mut self, now: f64, per_second: f64, max_wait_ms: f64) -> Option<f64> {
        let interval = 1_000.0 / per_second;
        let has_queue = self.next_at > now;
        let share = if has_queue { 1.0 - URGENT_SHARE } else { 1.0 };
        let turn = take(
            &mut self.next_at,
            now,
            interval / share,
            BURST_MS.max(interval),
            max_wait_ms,
        );
        if turn.is_some() || !has_queue || max_wait_ms > MAX_URGENT_MS {
            return turn;
        }
        let interval = interval / URGENT_SHARE;
        take(
            &mut self.next_urgent_at,
            now,
            interval,
            interval,
            max_wait_ms,
        )
    }

    /// Holds all polls for some milliseconds: the upstream wants that.
    pub(super) fn pause(&mut self, now: f64, milliseconds: f64) {
        let until = now + milliseconds.min(MAX_AHEAD_MS);
        self.next_at = self.next_at.max(until);
        self.next_urgent_at = self.next_urgent_at.max(until);
    }
}

/// Takes the next turn, an interval after the one before, where it is soon enough. As many as would have been due in the last
/// `burst_ms` may be sent at once.
fn take(
    next_at: &mut f64,
    now: f64,
    interval: f64,
    burst_ms: f64,
    max_wait_ms: f64,
) -> Option<f64> {
    // A clock that is set back must not hold all polls until it is where it was.
    let turn = next_at.clamp(now - burst_ms, now + MAX_AHEAD_MS) + interval;
    let wait = (turn - now).max(0.0);
    (wait <= max_wait_ms).then(|| {
        *next_at = turn;
        wait
    })
}

/// How far ahead polls are counted.
const MAX_AHEAD_MS: f64 = 60_000.0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn polls_are_held_to_the_rate_after_a_second_of_them() {
        let mut pacer = Pacer::default();
        let now = 1e12;
        let waits: Vec<_> = (0..26)
            .filter_map(|_| pacer.take(now, 10.0, 60_000.0))
            .collect();
        assert_eq!(waits.iter().filter(|it| **it == 0.0).count(), 10);
        assert!(
            (waits[25] - 2_100.0).abs() < 1.0,
            "a tenth of a second for the first in the queue: {waits:?}"
        );
    }

    #[test]
    fn who_can_not_wait_is_served_beside_the_queue_within_the_rate() {
        let mut pacer = Pacer::default();
        let (mut sent, mut urgent) = (0, 0);
        // A queue that is always long, for ten seconds.
        for now in (0..10_000).map(|it| 1e12 + f64::from(it)) {
            while let Some(wait) = pacer.take(now, 20.0, 20_000.0) {
                sent += i32::from(now + wait < 1e12 + 10_000.0);
            }
            if pacer.take(now, 20.0, 0.0).is_some() {
                urgent += 1;
            }
        }
        assert!((45..=55).contains(&urgent), "{urgent}");
        assert!((190..=225).contains(&(sent + urgent)), "{sent}");
    }

    #[test]
    fn a_slow_rate_admits_the_first_poll_at_once() {
        let mut pacer = Pacer::default();
        assert_eq!(pacer.take(1e12, 0.1, 0.0), Some(0.0));
        assert_eq!(pacer.take(1e12, 0.1, 0.0), None);
        assert_eq!(pacer.take(1e12 + 10_000.0, 0.1, 0.0), Some(0.0));
    }

    #[test]
    fn a_pause_of_the_upstreams_holds_all_polls_and_ends() {
        let mut pacer = Pacer::default();
        pacer.pause(1e12, 30_000.0);
        assert!(
            pacer
                .take(1e12, 10.0, 60_000.0)
                .is_some_and(|it| it >= 30_000.0)
        );
        pacer.pause(1e12, f64::MAX);
        assert!(
            pacer
                .take(1e12, 10.0, 70_000.0)
                .is_some_and(|it| it <= 61_000.0)
        );
        assert_eq!(pacer.take(0.0, 10.0, 59_000.0), None);
        assert!(pacer.take(2e12, 10.0, 0.0).is_some());
    }
}
