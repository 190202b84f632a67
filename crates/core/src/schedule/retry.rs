//! Whether and when to retry a read that failed. A create is never retried on this schedule: a repetition may charge
//! the account twice.

use super::jitter;

/// The number of attempts, including the first.
pub const ATTEMPTS: u32 = 4;
/// Milliseconds between the first attempt and the second, before jitter.
pub const INITIAL_MS: u32 = 500;
/// The longest `Retry-After` that is waited for, in milliseconds. A longer one ends the attempts.
pub const MAX_WAIT_MS: u32 = 60_000;

/// Milliseconds to wait after `attempts` failed attempts (from 1); `None` when no attempt is left, or when
/// `retry_after_ms` is more than [`MAX_WAIT_MS`].
///
/// The wait doubles after each attempt, starting from [`INITIAL_MS`], and gets jitter from `random` (0 to 1, see
/// [`jitter`]). `retry_after_ms`, from a `Retry-After`, prolongs it.
pub fn delay(attempts: u32, retry_after_ms: Option<u32>, random: f64) -> Option<u32> {
    let requested = retry_after_ms.unwrap_or(0);
    let retries = attempts < ATTEMPTS && requested <= MAX_WAIT_MS;
    retries.then(|| jitter(INITIAL_MS << attempts.saturating_sub(1), random).max(requested))
}
