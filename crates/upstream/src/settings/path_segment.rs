use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~');

/// Percent-encodes one segment of a path. Returns `None` for a string that can't be a segment,
/// however it is encoded.
pub fn path_segment(text: &str) -> Option<String> {
    // URL parsers resolve dots even if they are percent-encoded.
    let is_segment = !matches!(text, "" | "." | "..");
    is_segment.then(|| utf8_percent_encode(text, ESCAPED).to_string())
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
