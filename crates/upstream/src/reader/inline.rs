//! Media as text in a response: `data:` URIs and base64.

use base64::Engine;
use base64::alphabet::{STANDARD, URL_SAFE};
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use percent_encoding::percent_decode_str;

/// A medium that a response has as text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct InlineMedium<'a> {
    /// A media type that is safe to serve: of a picture, a video, a sound, a PDF document, or any
    /// bytes. A browser runs no script in these.
    pub media_type: &'static str,
    text: &'a str,
    is_base64: bool,
}

/// Words in the names of members whose text is base64.
const BASE64_NAMES: [&str; 2] = ["b64", "base64"];

/// The shortest base64 that may be a medium of an unknown type, in characters. An id or a word is
/// shorter.
const MIN_UNKNOWN_LEN: usize = 256;

/// The characters of base64 that show a media type: WebM and Matroska need 257 bytes.
const HEAD_LEN: usize = 512;

/// The media type of bytes that a browser must not show.
const UNKNOWN_TYPE: &str = "application/octet-stream";

/// The media types that are taken from a `data:` URI if its bytes show none.
const DECLARED_TYPES: [&str; 12] = [
    "image/png",
    "image/jpeg",
    "image/webp",
    "image/gif",
    "image/avif",
    "video/mp4",
    "video/webm",
    "audio/mpeg",
    "audio/wav",
    "audio/ogg",
    "audio/mp4",
    "application/pdf",
];

/// Returns the medium in the text of a member that may have outputs: a `data:` URI, base64 that
/// begins like a medium, or long base64 under a name with `b64` or `base64`.
pub(super) fn inline_medium<'a>(name: &str, text: &'a str) -> Option<InlineMedium<'a>> {
    if let Some(uri) = text.strip_prefix("data:") {
        return of_uri(uri);
    }
    if !is_base64(text) {
        return None;
    }
    let name = name.to_ascii_lowercase();
    let says_base64 = BASE64_NAMES.iter().any(|word| name.contains(word));
    let is_long = says_base64 && text.len() >= MIN_UNKNOWN_LEN;
    let media_type = detected_type(text).or(is_long.then_some(UNKNOWN_TYPE))?;
    Some(InlineMedium {
        media_type,
        text,
        is_base64: true,
    })
}

/// Reads a `data:` URI (RFC 2397) after its scheme. Without a media type it counts only if it says
/// `;base64`: anything else may be a sentence, such as "data: quota exceeded, try later".
fn of_uri(uri: &str) -> Option<InlineMedium<'_>> {
    let (kind, text) = uri.split_once(',')?;
    let is_token = kind.bytes().all(|letter| letter.is_ascii_graphic());
    let media_type = kind.split(';').next().unwrap_or_default();
    let says_base64 = kind.to_ascii_lowercase().ends_with(";base64");
    let is_uri = is_token && (media_type.contains('/') || says_base64);
    let is_readable = if says_base64 {
        is_base64(text)
    } else {
        !text.is_empty()
    };
    if !is_uri || !is_readable {
        return None;
    }
    let declared = DECLARED_TYPES
        .into_iter()
        .find(|declared| declared.eq_ignore_ascii_case(media_type));
    let detected = says_base64.then(|| detected_type(text)).flatten();
    Some(InlineMedium {
        // The bytes are more reliable than the declaration.
        media_type: detected.or(declared).unwrap_or(UNKNOWN_TYPE),
        text,
        is_base64: says_base64,
    })
}

impl InlineMedium<'_> {
    /// Returns the bytes, or `None` if the text is no valid base64.
    pub fn decode(&self) -> Option<Vec<u8>> {
        if !self.is_base64 {
            return Some(percent_decode_str(self.text).collect());
        }
        // Services break base64 into lines.
        let plain: String = self.text.split_ascii_whitespace().collect();
        engine(&plain).decode(&plain).ok()
    }
}

fn is_base64(text: &str) -> bool {
    let mut symbols = 0_usize;
    let mut padding = 0_usize;
    for byte in text.bytes() {
        match byte {
            b'\r' | b'\n' | b'\t' | b' ' => {}
            b'=' => padding += 1,
            _ if padding > 0 => return false,
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'+' | b'/' | b'-' | b'_' => symbols += 1,
            _ => return false,
        }
    }
    symbols > 0 && symbols % 4 != 1 && padding <= 2 && is_one_alphabet(text)
}

/// Returns true if a text does not mix the standard and the URL-safe alphabet.
fn is_one_alphabet(text: &str) -> bool {
    !(text.contains(['+', '/']) && text.contains(['-', '_']))
}

/// Returns the media type that the first bytes of a file show: that of a picture, a video, a sound
/// or a PDF document.
pub fn shown_type(bytes: &[u8]) -> Option<&'static str> {
    let media_type = infer::get(bytes)?.mime_type();
    let is_medium = ["image/", "video/", "audio/"]
        .iter()
        .any(|kind| media_type.starts_with(kind))
        || media_type == "application/pdf";
    is_medium.then_some(media_type)
}

fn detected_type(text: &str) -> Option<&'static str> {
    let head: String = text
        .chars()
        .filter(|letter| !letter.is_ascii_whitespace() && *letter != '=')
        .take(HEAD_LEN)
        .collect();
    shown_type(&engine(&head).decode(&head).ok()?)
}

/// Returns a decoder for base64 of either alphabet, with or without padding.
fn engine(text: &str) -> GeneralPurpose {
    let alphabet = if text.contains(['-', '_']) {
        &URL_SAFE
    } else {
        &STANDARD
    };
    let config = GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true);
    GeneralPurpose::new(alphabet, config)
}

#[cfg(test)]
mod tests {
    use base64::engine::general_purpose::STANDARD as BASE64;

    use super::*;

    const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR";

    fn media_type(name: &str, text: &str) -> Option<&'static str> {
        inline_medium(name, text).map(|medium| medium.media_type)
    }

    #[test]
    fn a_data_uri_is_a_medium_under_any_name() {
        for (text, expected) in [
            ("data:image/png;base64,AAAA", "image/png"),
            ("data:;base64,AAAA", UNKNOWN_TYPE),
            ("data:audio/mpeg;base64,AAAA", "audio/mpeg"),
            ("data:text/html,%3Cscript%3E", UNKNOWN_TYPE),
            ("data:image/svg+xml;base64,PHN2Zy8+", UNKNOWN_TYPE),
        ] {
            assert_eq!(media_type("x", text), Some(expected), "{text}");
        }
        for text in [
            "data: quota exceeded, try later",
            "data:,x",
            "data:image/png;base64,",
            "data:image/png;base64,A",
            "data:image/png;base64,AA=A",
            "data:image/png",
        ] {
            assert_eq!(media_type("image", text), None, "{text}");
        }
    }

    #[test]
    fn base64_is_a_medium_if_it_begins_like_one_or_its_name_says_so() {
        let picture = BASE64.encode(PNG);
        for name in ["b64_json", "image", "imageBase64", "output"] {
            assert_eq!(media_type(name, &picture), Some("image/png"), "{name}");
        }
        let webm = [
            b"\x1a\x45\xdf\xa3\x01\x00\x00\x00\x00\x00\x00\x1f\x42\x82\x84webm".as_slice(),
            &[0; 300],
        ];
        let webm = BASE64.encode(webm.concat());
        assert_eq!(media_type("video", &webm), Some("video/webm"));
        let other = "QUJD".repeat(100);
        assert_eq!(media_type("b64_json", &other), Some(UNKNOWN_TYPE));
        assert_eq!(media_type("result_token", &other), None);
        assert_eq!(media_type("image", &other), None);
        assert_eq!(media_type("b64_json", "failed"), None);
        assert_eq!(media_type("b64_json", &format!("{other}A")), None);
    }

    #[test]
    fn base64_is_read_in_each_of_its_forms() {
        let bytes: Vec<u8> = [PNG, &[0xfb; 301]].concat();
        let text = BASE64.encode(&bytes);
        let lines: Vec<&str> = text
            .as_bytes()
            .chunks(76)
            .filter_map(|line| core::str::from_utf8(line).ok())
            .collect();
        for form in [
            text.clone(),
            text.trim_end_matches('=').to_owned(),
            text.replace('+', "-").replace('/', "_"),
            lines.join("\r\n"),
        ] {
            let medium = inline_medium("image", &form).expect("a medium");
            assert_eq!(medium.decode().as_ref(), Some(&bytes));
        }
    }

    #[test]
    fn percent_escapes_are_decoded() {
        let medium = inline_medium("x", "data:text/plain,a%20b").expect("a medium");
        assert_eq!(medium.decode().as_deref(), Some(b"a b".as_slice()));
    }
}
