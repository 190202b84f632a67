//! ffmpeg volume expressions. The document names two forms, a multiplier and a decibel value
//! (§4.3).
//!
//! The document does not rule out other forms, so they are doubtful instead of invalid.

/// Returns true if a volume is neither a decimal multiplier of 0 or more, such as `0.5`, `2` and
/// `.5`, nor decibels, such as `+3dB` and `-6.02dB`. Ignores white space at both ends.
pub fn is_doubtful(text: &str) -> bool {
    let text = text.trim();
    // ffmpeg accepts the unit only in this case of letters.
    let decibels = text.strip_suffix("dB");
    let mut digits = 0;
    let mut points = 0;
    for (index, byte) in decibels.unwrap_or(text).bytes().enumerate() {
        match byte {
            b'0'..=b'9' => digits += 1,
            b'.' => points += 1,
            b'+' if index == 0 => {}
            b'-' if index == 0 && decibels.is_some() => {}
            _ => return true,
        }
    }
    digits == 0 || points > 1
}
