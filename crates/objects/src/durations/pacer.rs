/// The turns of the next polls. Times are milliseconds since 1970.
///
/// Polls of watchers form a queue. A caller's own read is urgent and can't wait long, so a share of
/// the rate is reserved for urgent polls while there is a queue.
#[derive(Debug, Default)]
pub(super) struct Pacer {
    /// The time of the last turn in the queue. It may be in the future.
    next_at: f64,
    /// The time of the last turn of an urgent poll.
    next_urgent_at: f64,
}

/// The longest wait of an urgent poll. Other polls wait in the queue.
const MAX_URGENT_MS: f64 = 5_000.0;
/// The share of the rate that is reserved for urgent polls while there is a queue.
const URGENT_SHARE: f64 = 0.25;

/// Polls that may be sent at once after a pause, as milliseconds of the rate.
const BURST_MS: f64 = 1_000.0;

impl Pacer {
    /// Counts a poll. Returns the milliseconds to wait before it, or `None` without counting it if
    /// they exceed `max_wait_ms`.
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
        // No burst: the queue has used the rate since its beginning.
        take(
            &mut self.next_urgent_at,
            now,
            interval,
            interval,
            max_wait_ms,
        )
    }

    /// Holds all polls for some milliseconds, as the upstream requires after a 429.
    pub(super) fn pause(&mut self, now: f64, milliseconds: f64) {
        let until = now + milliseconds.min(MAX_AHEAD_MS);
        self.next_at = self.next_at.max(until);
        self.next_urgent_at = self.next_urgent_at.max(until);
    }
}

/// Takes the next turn, an interval after the last, unless it is too late. After a pause, the turns
/// of the last `burst_ms` may be taken at once.
fn take(
    next_at: &mut f64,
    now: f64,
    interval: f64,
    burst_ms: f64,
    max_wait_ms: f64,
) -> Option<f64> {
    // If the clock was set back, the last turn would hold all polls until the clock reaches it.
    let turn = next_at.clamp(now - burst_ms, now + MAX_AHEAD_MS) + interval;
    let wait = (turn - now).max(0.0);
    (wait <= max_wait_ms).then(|| {
        *next_at = turn;
        wait
    })
}

/// The latest turn that is given, from now.
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
        assert_eq!(waits.iter().filter(|wait| **wait == 0.0).count(), 10);
        assert!(
            (waits[25] - 2_100.0).abs() < 1.0,
            "a tenth of a second for the first in the queue: {waits:?}"
        );
    }

    #[test]
    fn urgent_polls_are_sent_beside_the_queue_within_the_rate() {
        let mut pacer = Pacer::default();
        let mut sent = 0;
        let mut urgent = 0;
        // A queue that is always long, for ten seconds.
        for now in (0..10_000).map(|millisecond| 1e12 + f64::from(millisecond)) {
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
                .is_some_and(|wait| wait >= 30_000.0)
        );
        pacer.pause(1e12, f64::MAX);
        assert!(
            pacer
                .take(1e12, 10.0, 70_000.0)
                .is_some_and(|wait| wait <= 61_000.0)
        );
        assert_eq!(pacer.take(0.0, 10.0, 59_000.0), None);
        assert!(pacer.take(2e12, 10.0, 0.0).is_some());
    }
}
