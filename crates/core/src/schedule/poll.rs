//! The usual intervals between the polls of a task.
//!
//! Each interval is an eighth longer than the one before. On average, an end is seen late by half
//! an interval: half a second plus a sixteenth of the task's duration, up to six seconds.
//!
//! Growth by half, up to ten seconds, would take 5 polls instead of 7 for a task of 2 to 15 s, but
//! see half of the ends 2.0 s late instead of 0.9 s. `cargo run -p mediagate-core --example polls`
//! prints this schedule's figures.
//!
//! The longest interval, with its jitter, is no longer than a stream's heartbeat interval, so no
//! heartbeat is needed between two polls.

use libm::log1p;

use super::jitter;

/// Milliseconds between the first poll and the second.
pub const INITIAL_MS: u32 = 1_000;
/// The longest interval between polls, in milliseconds, before jitter.
pub const MAX_INTERVAL_MS: u32 = 12_000;
/// The longest wait that a `Retry-After` can cause, in milliseconds.
pub const MAX_WAIT_MS: u32 = 60_000;

/// Returns the milliseconds to wait after poll number `poll_count` (from 1).
///
/// The interval is an eighth longer after each poll, up to [`MAX_INTERVAL_MS`], and gets jitter
/// from `random` (0 to 1, see [`jitter`]). `retry_after_ms`, from a `Retry-After`, prolongs it, up
/// to [`MAX_WAIT_MS`].
pub fn delay(poll_count: u32, retry_after_ms: Option<u32>, random: f64) -> u32 {
    let steps = poll_count.saturating_sub(1).min(32);
    let interval = (0..steps).fold(INITIAL_MS, |interval, _| {
        (interval + interval / GROWTH_DIVISOR as u32).min(MAX_INTERVAL_MS)
    });
    let requested = retry_after_ms.unwrap_or(0).min(MAX_WAIT_MS);
    jitter(interval, random).max(requested)
}

/// Returns the seconds until the next poll: an eighth of `elapsed` plus one, up to
/// [`MAX_INTERVAL_MS`]. This equals [`delay`] without jitter.
pub(super) fn interval(elapsed: f64) -> f64 {
    (f64::from(INITIAL_MS) / 1000.0 + elapsed.max(0.0) / GROWTH_DIVISOR)
        .min(f64::from(MAX_INTERVAL_MS) / 1000.0)
}

/// Returns the average number of polls: the first is sent at once, and the last comes half an
/// interval late.
pub(super) fn usual_polls(seconds: f64) -> f64 {
    let initial = f64::from(INITIAL_MS) / 1000.0;
    let max = f64::from(MAX_INTERVAL_MS) / 1000.0;
    // The seconds in which the intervals still grow; after them, each interval is `max`.
    let growing = seconds.clamp(0.0, (max - initial) * GROWTH_DIVISOR);
    1.5 + log1p(growing / GROWTH_DIVISOR / initial) / log1p(1.0 / GROWTH_DIVISOR)
        + (seconds - growing).max(0.0) / max
}

const GROWTH_DIVISOR: f64 = 8.0;
