//! How long to wait before the next poll of a task that has not ended.
//!
//! Each interval is an eighth longer than the one before, so that an end is seen late by half a second plus a sixteenth
//! of the task's duration on average, and by six seconds at most. Over tasks of 2 to 15 s, half the ends are seen within
//! 0.9 s, after 7 polls on average; over tasks of 20 to 300 s, spread evenly by their logarithm, within 4.1 s, after 23.
//! Intervals that grow by half, up to ten seconds, give 2.0 s after 5 polls, and 5.1 s after 16. The longest interval,
//! with its jitter, is no longer than a stream's heartbeat interval, so no heartbeat is needed between two polls.
//! `cargo run -p mediagate-core --example polls` computes these figures.

use libm::log1p;

use super::jitter;

/// Milliseconds between the first poll and the second.
pub const INITIAL_MS: u32 = 1_000;
/// The longest interval between polls, in milliseconds, before jitter.
pub const MAX_INTERVAL_MS: u32 = 12_000;
/// The longest wait that a `Retry-After` can cause, in milliseconds.
pub const MAX_WAIT_MS: u32 = 60_000;

/// Milliseconds to wait after poll number `poll_count` (from 1).
///
/// The interval is an eighth longer after each poll, up to [`MAX_INTERVAL_MS`], and gets jitter from `random` (0 to 1,
/// see [`jitter`]). `retry_after_ms`, from a `Retry-After`, prolongs it, up to [`MAX_WAIT_MS`].
pub fn delay(poll_count: u32, retry_after_ms: Option<u32>, random: f64) -> u32 {
    let steps = poll_count.saturating_sub(1).min(32);
    let interval = (0..steps).fold(INITIAL_MS, |it, _| {
        (it + it / GROWTH as u32).min(MAX_INTERVAL_MS)
    });
    let requested = retry_after_ms.unwrap_or(0).min(MAX_WAIT_MS);
    jitter(interval, random).max(requested)
}

/// The seconds until the next poll of a task that has run for some: an eighth of these, and one more, up to
/// [`MAX_INTERVAL_MS`]. It is what [`delay`] comes to without jitter.
pub(super) fn interval(elapsed: f64) -> f64 {
    (f64::from(INITIAL_MS) / 1000.0 + elapsed.max(0.0) / GROWTH)
        .min(f64::from(MAX_INTERVAL_MS) / 1000.0)
}

/// The polls that a task of some seconds takes at these intervals, on average: the first is sent at once, and the last
/// comes half an interval late.
pub(super) fn usual_polls(seconds: f64) -> f64 {
    let (initial, max) = (
        f64::from(INITIAL_MS) / 1000.0,
        f64::from(MAX_INTERVAL_MS) / 1000.0,
    );
    let growing = seconds.clamp(0.0, (max - initial) * GROWTH);
    1.5 + log1p(growing / GROWTH / initial) / log1p(1.0 / GROWTH)
        + (seconds - growing).max(0.0) / max
}

/// The interval before, divided by this, is added to each.
const GROWTH: f64 = 8.0;
