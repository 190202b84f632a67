//! Media types, as headers and callers write them.

use mediagate_upstream::shown_type;

/// The maximum length of a media type, in bytes.
const MAX_LEN: usize = 100;

/// Returns a media type in lower case, without its parameters.
pub fn essence(text: &str) -> String {
    let (essence, _) = text.split_once(';').unwrap_or((text, ""));
    essence.trim().to_ascii_lowercase()
}

pub fn is_media(essence: &str) -> bool {
    let Some(("image" | "video" | "audio", subtype)) = essence.split_once('/') else {
        return essence == "application/pdf";
    };
    !subtype.is_empty() && subtype.bytes().all(is_of_subtype) && essence.len() <= MAX_LEN
}

fn is_of_subtype(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$&^_.+-".contains(&byte)
}

/// Returns true for the types that servers send for unknown files.
pub fn is_unstated(essence: &str) -> bool {
    essence.ends_with("/octet-stream")
}

const EXTENSIONS: [(&str, &str); 17] = [
    ("image/png", "png"),
    ("image/jpeg", "jpg"),
    ("image/jpeg", "jpeg"),
    ("image/webp", "webp"),
    ("image/gif", "gif"),
    ("image/avif", "avif"),
    ("video/mp4", "mp4"),
    ("video/webm", "webm"),
    ("video/quicktime", "mov"),
    ("audio/mpeg", "mp3"),
    ("audio/wav", "wav"),
    ("audio/x-wav", "wav"),
    ("audio/mp4", "m4a"),
    ("audio/aac", "aac"),
    ("audio/ogg", "ogg"),
    ("audio/flac", "flac"),
    ("application/pdf", "pdf"),
];

/// Returns the extension of a media type, or `bin` if the type is not common.
pub fn extension(essence: &str) -> &'static str {
    let known = EXTENSIONS.iter().find(|(name, _)| *name == essence);
    known.map_or("bin", |(_, extension)| *extension)
}

pub const UNKNOWN: &str = "application/octet-stream";

/// Returns the type under which a file is safe to serve: its own, if that is of a picture, a video,
/// a sound or a PDF document. SVG and other XML may contain scripts, so they are served as unknown.
pub fn safe_type(essence: &str) -> String {
    let is_safe = is_media(essence) && !essence.ends_with("+xml");
    if is_safe { essence } else { UNKNOWN }.to_owned()
}

/// Returns the type of a file whose server states none that fits: the type of the name's extension,
/// or else the type that the file's first bytes show. `None` if neither fits.
pub fn judged_type(
    file_name: &str,
    head: &[u8],
    fits: impl Fn(&str) -> bool,
) -> Option<&'static str> {
    let ending = file_name.rsplit_once('.').map_or("", |(_, ending)| ending);
    let named = EXTENSIONS
        .iter()
        .find(|(_, known)| ending.eq_ignore_ascii_case(known))
        .map(|(name, _)| *name);
    let candidates = [named, shown_type(head)];
    candidates
        .into_iter()
        .flatten()
        .find(|candidate| fits(candidate))
}

/// Returns true if a file begins as markup or JSON. Servers respond with a page, or with an error
/// as XML or JSON, instead of a medium.
pub fn is_markup_or_json(head: &[u8]) -> bool {
    matches!(first_letter(head), Some(b'<' | b'{' | b'['))
}

/// Returns true for a media type of text, and for bytes without control characters: an error in
/// plain text instead of a medium.
pub fn is_plain_text(essence: &str, head: &[u8]) -> bool {
    let mut bytes = head.iter();
    essence.starts_with("text/") && bytes.all(|byte| *byte >= b' ' || b"\t\r\n".contains(byte))
}

pub(crate) fn is_markup(body: &[u8]) -> bool {
    first_letter(body) == Some(b'<')
}

/// Returns the first byte after white space and a byte order mark.
fn first_letter(text: &[u8]) -> Option<u8> {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    text.trim_ascii_start().first().copied()
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

    #[test]
    fn a_type_is_judged_by_the_extension_and_then_by_the_first_bytes() {
        const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR";
        let any = |name: &str, head: &[u8]| judged_type(name, head, is_media);
        assert_eq!(any("a.MP4", b"?"), Some("video/mp4"));
        assert_eq!(any("a.jpg", PNG), Some("image/jpeg"));
        assert_eq!(any("a.php", PNG), Some("image/png"));
        assert_eq!(any("png", b"?"), None);
        let no_sound = |essence: &str| !essence.starts_with("audio/");
        assert_eq!(judged_type("a.mp3", PNG, no_sound), Some("image/png"));
        for text in [
            "<!doctype html>",
            " \n<html>",
            "\u{feff}<?xml",
            "{\"error\":1}",
            "[1]",
        ] {
            assert!(is_markup_or_json(text.as_bytes()), "{text}");
        }
        assert!(is_plain_text("text/plain", "Accès refusé\r\n".as_bytes()));
        assert!(!is_plain_text("text/plain", PNG));
        assert!(!is_plain_text("binary/octet-stream", b"Access denied"));
        for bytes in [PNG, b"", b"%PDF-1.7"] {
            assert!(!is_markup_or_json(bytes), "{bytes:?}");
        }
    }

    #[test]
    fn pages_and_drawings_are_served_as_unknown() {
        assert_eq!(safe_type("video/mp4"), "video/mp4");
        for essence in ["binary/octet-stream", "text/html", "image/svg+xml"] {
            assert_eq!(safe_type(essence), UNKNOWN, "{essence}");
        }
        assert_eq!(extension("image/jpeg"), "jpg");
        assert_eq!(extension("video/x-unheard-of"), "bin");
    }
}
