//! `HH:MM:SS` (§4.3).

use crate::text::{cut, whole};

/// The time in seconds. Each part has two digits; minutes and seconds are 59 at most. `None` for anything else.
pub fn parse(text: &str) -> Option<u32> {
    let (hours, rest) = cut(text, b":");
    let (minutes, seconds) = cut(rest?, b":");
    let two = |it: &str| if it.len() == 2 { whole(it, 2) } else { None };
    let (hours, minutes, seconds) = (two(hours)?, two(minutes)?, two(seconds?)?);
    (minutes <= 59 && seconds <= 59).then_some((hours * 60 + minutes) * 60 + seconds)
}
