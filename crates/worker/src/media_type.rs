//! Media types, as headers and callers write them.

/// The longest type that is taken for one.
const MAX_LEN: usize = 100;

/// Returns a media type in lower case, without its parameters.
pub(crate) fn essence(text: &str) -> String {
    let (essence, _) = text.split_once(';').unwrap_or((text, ""));
    essence.trim().to_ascii_lowercase()
}

/// Returns true for the essence of a picture, a video, a sound or a PDF document.
pub(crate) fn is_media(essence: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$&^_.+-".contains(&byte);
    match essence.split_once('/') {
        Some(("image" | "video" | "audio", subtype)) => {
            let is_type = !subtype.is_empty() && subtype.bytes().all(is_plain);
            is_type && essence.len() <= MAX_LEN
        }
        _ => essence == "application/pdf",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn media_are_known_by_their_essence() {
        for (text, expected) in [
            ("image/png", true),
            ("Video/MP4; codecs=avc1", true),
            (" audio/x-wav ;", true),
            ("image/svg+xml", true),
            ("application/pdf", true),
            ("text/html", false),
            ("png", false),
            ("image/", false),
            ("image/p\u{e9}", false),
            ("image/a b", false),
            ("image/png/x", false),
        ] {
            assert_eq!(is_media(&essence(text)), expected, "{text}");
        }
        assert!(!is_media(&format!("image/{}", "x".repeat(MAX_LEN))));
    }
}
