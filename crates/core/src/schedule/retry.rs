//! Whether and when to repeat a read that failed. A create is another matter: repeating it may charge twice.

use super::jitter;

/// Attempts in all, the first one counted.
pub const ATTEMPTS: u32 = 4;
/// Milliseconds before the second attempt.
pub const FIRST_MS: u32 = 500;
/// The longest `Retry-After` that is waited for, in milliseconds; a longer one ends the attempts.
pub const LONGEST_WAIT_MS: u32 = 60_000;

/// Milliseconds to wait after `attempts` failed attempts (from 1), twice as long each time, with jitter; `None` when it
/// is time to give up. A `Retry-After` in milliseconds is obeyed where it asks for more.
pub fn delay(attempts: u32, retry_after_ms: Option<u32>, random: f64) -> Option<u32> {
    let asked = retry_after_ms.unwrap_or(0);
    let again = attempts < ATTEMPTS && asked <= LONGEST_WAIT_MS;
    again.then(|| jitter(FIRST_MS << attempts.saturating_sub(1), random).max(asked))
}
