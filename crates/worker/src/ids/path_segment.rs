//! An id as a segment of a URL's path.

/// Percent-encodes one segment of a path. `None` for a string that can't be a segment, however it is encoded.
pub(crate) fn path_segment(text: &str) -> Option<String> {
    if matches!(text, "" | "." | "..") {
        return None;
    }
    let mut segment = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => {
                segment.push(char::from(byte))
            }
            _ => segment.push_str(&format!("%{byte:02X}")),
        }
    }
    Some(segment)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_one_segment_however_it_is_written() {
        for (id, segment) in [
            ("azAZ09-_.~", Some("azAZ09-_.~")),
            ("a/b?c#d", Some("a%2Fb%3Fc%23d")),
            ("%2e%2E", Some("%252e%252E")),
            ("é \0\n", Some("%C3%A9%20%00%0A")),
            ("...", Some("...")),
            ("./", Some(".%2F")),
            ("", None),
            (".", None),
            ("..", None),
        ] {
            assert_eq!(path_segment(id).as_deref(), segment, "{id:?}");
        }
    }
}
