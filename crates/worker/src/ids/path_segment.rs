//! An id as a segment of a URL's path.

/// Percent-encodes one segment of a path. `None` for a string that can't be a segment, however it is encoded.
pub(crate) fn path_segment(text: &str) -> Option<String> {
    if matches!(text, "" | "." | "..") {
        return None;
    }
    let mut segment = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => segment.push(char::from(byte)),
            _ => segment.push_str(&format!("%{byte:02X}")),
        }
    }
    Some(segment)
}
