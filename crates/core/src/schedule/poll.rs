//! How long to wait before the next look at a task that has not ended.

use super::jitter;

/// Milliseconds before the second look.
pub const FIRST_MS: u32 = 1_000;
/// Milliseconds between looks, once a task takes long.
pub const SLOWEST_MS: u32 = 10_000;
/// Milliseconds that a service may make us wait with `Retry-After`.
pub const LONGEST_WAIT_MS: u32 = 60_000;

/// Milliseconds to wait after `looks` looks (from 1): half as long again each time, up to [`SLOWEST_MS`], with jitter.
/// A `Retry-After` in milliseconds is obeyed where it asks for more, up to [`LONGEST_WAIT_MS`].
pub fn delay(looks: u32, retry_after_ms: Option<u32>, random: f64) -> u32 {
    let steps = looks.saturating_sub(1).min(16);
    let grown = (0..steps).fold(FIRST_MS, |it, _| (it + it / 2).min(SLOWEST_MS));
    let asked = retry_after_ms.unwrap_or(0).min(LONGEST_WAIT_MS);
    jitter(grown, random).max(asked)
}
