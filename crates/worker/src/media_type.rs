//! Media types, as headers and callers write them.

/// The maximum length of a media type, in bytes.
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

/// Returns true for the type of a file whose server does not state one: servers send
/// `application/octet-stream` or `binary/octet-stream` for unknown files.
pub(crate) fn is_unstated(essence: &str) -> bool {
    essence.ends_with("/octet-stream")
}

/// The media types of common files, with their extensions.
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
pub(crate) fn extension(essence: &str) -> &'static str {
    let known = EXTENSIONS.iter().find(|(name, _)| *name == essence);
    known.map_or("bin", |(_, extension)| *extension)
}

/// Returns the media type under which a file is safe to serve. That is its own, if it is the type
/// of a picture, a video, a sound or a PDF document. If its type is unknown, it is the type of its
/// name. SVG and other XML may contain scripts, so they are served as unknown.
pub(crate) fn safe_type(essence: &str, file_name: &str) -> String {
    const UNKNOWN: &str = "application/octet-stream";
    if is_unstated(essence) {
        let ending = file_name.rsplit_once('.').map_or("", |(_, ending)| ending);
        let ending = ending.to_ascii_lowercase();
        let known = EXTENSIONS.iter().find(|(_, known)| *known == ending);
        return known.map_or(UNKNOWN, |(name, _)| name).to_owned();
    }
    let is_safe = is_media(essence) && !essence.ends_with("+xml");
    if is_safe { essence } else { UNKNOWN }.to_owned()
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
    fn pages_and_drawings_are_of_an_unknown_type() {
        for (essence, name, expected) in [
            ("video/mp4", "a.html", "video/mp4"),
            ("application/octet-stream", "a.MP4", "video/mp4"),
            ("binary/octet-stream", "a.html", "application/octet-stream"),
            (
                "application/octet-stream",
                "png",
                "application/octet-stream",
            ),
            ("text/html", "a.png", "application/octet-stream"),
            ("image/svg+xml", "a.svg", "application/octet-stream"),
        ] {
            assert_eq!(safe_type(essence, name), expected, "{essence} {name}");
        }
        assert_eq!(extension("image/jpeg"), "jpg");
        assert_eq!(extension("video/x-unheard-of"), "bin");
    }
}
