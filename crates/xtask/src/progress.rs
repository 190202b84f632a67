//! Progress output: the name and the duration of each long step.

use std::time::{Duration, Instant};

use anyhow::Result;

/// Runs a step. Prints its name before, and its duration afterwards.
pub(crate) fn step<T>(what: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    println!("▸ {what}");
    let start = Instant::now();
    let result = work();
    let mark = if result.is_ok() { '✓' } else { '✗' };
    println!("{mark} {what}: {}", seconds(start.elapsed()));
    result
}

/// Writes a duration as `0.4 s` or `3 min 12 s`.
pub(crate) fn seconds(duration: Duration) -> String {
    let whole = duration.as_secs();
    if whole < 60 {
        format!("{:.1} s", duration.as_secs_f64())
    } else {
        format!("{} min {} s", whole / 60, whole % 60)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_shown_in_seconds_or_minutes() {
        assert_eq!(seconds(Duration::from_millis(420)), "0.4 s");
        assert_eq!(seconds(Duration::from_secs(192)), "3 min 12 s");
    }
}
