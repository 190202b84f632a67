//! ffmpeg volume expressions, of which the document names two: a multiplier and a decibel value (§4.3). Others may be valid.

/// Whether it is neither a multiplier of 0 or more in decimal, such as `0.5`, `2` and `.5`, nor decibels, such as `+3dB` and
/// `-6.02dB`. ffmpeg knows the unit as `dB`, in this case only. White space around it does not count.
pub fn is_doubtful(text: &str) -> bool {
    let text = text.trim();
    let decibels = text.strip_suffix("dB");
    let (mut digits, mut points) = (0, 0);
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
