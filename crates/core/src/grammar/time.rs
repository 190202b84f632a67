//! `HH:MM:SS` (§4.3).

use super::whole;

/// The time in seconds: two digits each, minutes and seconds up to 59. `None` for anything else.
pub fn parse(text: &str) -> Option<u32> {
    let mut parts = text.split(':').map(|it| if it.len() == 2 { whole(it, 2) } else { None });
    let (hours, minutes, seconds) = (parts.next()??, parts.next()??, parts.next()??);
    let valid = parts.next().is_none() && minutes <= 59 && seconds <= 59;
    valid.then_some((hours * 60 + minutes) * 60 + seconds)
}
