//! How long to wait before the next look at a task that has not ended.
//!
//! Each gap is an eighth longer than the one before, so that news are late by half a second and a sixteenth of what the
//! task took, on average, up to six seconds. Over tasks of 2 to 15 s, half the ends are seen within 0.9 s, after 7 looks
//! on average; over tasks of 20 to 300 s, spread evenly by their logarithm, within 4.1 s, after 23. Gaps that grow by
//! half, up to ten seconds, give 2.0 s after 5 looks, and 5.1 s after 16. The longest gap, with its jitter, is no longer
//! than a stream's listeners are left without a sign of life, so none has to be given between two looks.
//! `cargo run -p mediagate-core --example polls` counts.

use super::jitter;

/// Milliseconds before the second look.
pub const FIRST_MS: u32 = 1_000;
/// Milliseconds between looks, once a task takes long.
pub const SLOWEST_MS: u32 = 12_000;
/// Milliseconds that a service may make us wait with `Retry-After`.
pub const LONGEST_WAIT_MS: u32 = 60_000;

/// Milliseconds to wait after `looks` looks (from 1): an eighth longer each time, up to [`SLOWEST_MS`], with jitter.
/// A `Retry-After` in milliseconds is obeyed where it asks for more, up to [`LONGEST_WAIT_MS`].
pub fn delay(looks: u32, retry_after_ms: Option<u32>, random: f64) -> u32 {
    let steps = looks.saturating_sub(1).min(32);
    let grown = (0..steps).fold(FIRST_MS, |it, _| (it + it / 8).min(SLOWEST_MS));
    let asked = retry_after_ms.unwrap_or(0).min(LONGEST_WAIT_MS);
    jitter(grown, random).max(asked)
}
