//! Times in a video: `HH:MM:SS` (§4.3).

use crate::text::{cut, whole};

/// Parses a time and returns its seconds. Each part has two digits; minutes and seconds are 59 at
/// most. Returns `None` for anything else.
pub fn parse(text: &str) -> Option<u32> {
    let (hours, rest) = cut(text, b":");
    let (minutes, seconds) = cut(rest?, b":");
    let two_digits = |digits: &str| {
        if digits.len() == 2 {
            whole(digits, 2)
        } else {
            None
        }
    };
    let hours = two_digits(hours)?;
    let minutes = two_digits(minutes)?;
    let seconds = two_digits(seconds?)?;
    (minutes <= 59 && seconds <= 59).then_some((hours * 60 + minutes) * 60 + seconds)
}
