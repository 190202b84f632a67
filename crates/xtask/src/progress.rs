//! Progress output: the name and the duration of each long step.

use std::time::{Duration, Instant};

use anyhow::Result;

/// Runs a step. Prints its name before, and its duration afterwards.
pub(crate) fn step<T>(what: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    println!("▸ {what}");
    let start = Instant::now();
    let result = work();
    let mark = if result.is_ok() { '✓' } else { '✗' };
    println!("{mark} {what}: {}", in_words(start.elapsed()));
    result
}

/// Writes a duration as `12 s` or `3 min 12 s`.
pub(crate) fn in_words(duration: Duration) -> String {
    let seconds = duration.as_secs();
    match seconds / 60 {
        0 => format!("{seconds} s"),
        minutes => format!("{minutes} min {} s", seconds % 60),
    }
}
