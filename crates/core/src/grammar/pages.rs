//! Page ranges: "forms such as 1-3, 1,3,5, 1-2,5" (§4.3). Others may be valid: only what is unlikely to be one is doubtful.

/// Whether it has no digit, or a range that descends. What is neither a digit, a comma nor a minus is skipped.
pub fn is_doubtful(text: &str) -> bool {
    let (mut is_empty, mut first, mut number) = (true, None, None);
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
                (first, number) = (None, None);
            }
            _ => {}
        }
    }
    is_empty
}
