//! The schedule of retries of a failed request. A create is repeated on it with its idempotency
//! key, so that no repetition charges the account twice.

use super::jitter;

/// The number of retries if a caller sets none.
pub const RETRIES: u32 = 4;
/// Milliseconds between the first attempt and the second, before jitter.
pub const INITIAL_MS: u32 = 500;
/// The longest accepted `Retry-After`, in milliseconds. A longer one ends the attempts.
pub const MAX_WAIT_MS: u32 = 60_000;

/// The largest number of doublings of the wait: to 16 seconds.
const MAX_DOUBLINGS: u32 = 5;

/// Returns the milliseconds to wait after `failures` failed attempts (from 1). Returns `None` if
/// there are more failures than `retries`, or if `retry_after_ms` is more than [`MAX_WAIT_MS`].
///
/// The wait doubles after each attempt, starting from [`INITIAL_MS`], and gets jitter from `random`
/// (0 to 1, see [`jitter`]). `retry_after_ms`, from a `Retry-After`, prolongs it.
pub fn delay(failures: u32, retries: u32, retry_after_ms: Option<u32>, random: f64) -> Option<u32> {
    let requested = retry_after_ms.unwrap_or(0);
    let may_retry = failures <= retries && requested <= MAX_WAIT_MS;
    let doublings = failures.saturating_sub(1).min(MAX_DOUBLINGS);
    may_retry.then(|| jitter(INITIAL_MS << doublings, random).max(requested))
}
