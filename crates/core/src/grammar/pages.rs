//! Page ranges: "forms such as 1-3, 1,3,5, 1-2,5" (§4.3).
//!
//! The document does not rule out other forms, so only an unlikely one is doubtful.

/// Returns true if a range has no digit, or if it descends. Skips every character but digits,
/// commas and minus signs.
pub fn is_doubtful(text: &str) -> bool {
    let mut is_empty = true;
    let mut first = None;
    let mut number = None;
    for byte in text.bytes().chain([b',']) {
        match byte {
            b'0'..=b'9' => {
                is_empty = false;
                number = Some(
                    number
                        .unwrap_or(0_u32)
                        .saturating_mul(10)
                        .saturating_add(u32::from(byte - b'0')),
                );
            }
            b'-' => first = number.take(),
            b',' => {
                if number.is_some() && first > number {
                    return true;
                }
                first = None;
                number = None;
            }
            _ => {}
        }
    }
    is_empty
}
