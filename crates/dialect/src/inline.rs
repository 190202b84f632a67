//! Media as text inside of a response: `data:` URIs and base64.

/// The bytes of a medium as text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InlineBytes<'a> {
    /// Base64, possibly with white space, of either alphabet.
    Base64(&'a str),
    /// Text with percent escapes.
    Percent(&'a str),
}

/// A medium that a response has as text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InlineMedium<'a> {
    /// The media type, if the text names one.
    pub media_type: Option<&'a str>,
    /// The bytes.
    pub bytes: InlineBytes<'a>,
}

/// Words in the names of members that have media as base64.
const NAMES: [&str; 8] = [
    "b64", "base64", "image", "video", "audio", "pdf", "output", "result",
];

/// The shortest base64 that may be a medium, in bytes. An id or a word is shorter.
const MIN_LEN: usize = 256;

/// Returns the medium that a member has as its text: a `data:` URI, or base64 if the member's name is one of media.
pub fn inline_medium<'a>(name: &str, text: &'a str) -> Option<InlineMedium<'a>> {
    if let Some(uri) = text.strip_prefix("data:") {
        return of_uri(uri);
    }
    let name = name.to_ascii_lowercase();
    let is_base64 = |byte: u8| byte.is_ascii_alphanumeric() || b"+/-_=\r\n".contains(&byte);
    let is_medium = text.len() >= MIN_LEN
        && NAMES.iter().any(|word| name.contains(word))
        && text.bytes().all(is_base64);
    is_medium.then_some(InlineMedium {
        media_type: None,
        bytes: InlineBytes::Base64(text),
    })
}

/// Reads a `data:` URI (RFC 2397) after its scheme.
fn of_uri(uri: &str) -> Option<InlineMedium<'_>> {
    let (kind, data) = uri.split_once(',')?;
    if data.is_empty() {
        return None;
    }
    let media_type = kind.split(';').next().filter(|text| text.contains('/'));
    let is_base64 = kind.to_ascii_lowercase().ends_with(";base64");
    let bytes = if is_base64 {
        InlineBytes::Base64(data)
    } else {
        InlineBytes::Percent(data)
    };
    Some(InlineMedium { media_type, bytes })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_data_uri_is_a_medium_under_any_name() {
        assert_eq!(
            inline_medium("x", "data:image/png;base64,AAAA"),
            Some(InlineMedium {
                media_type: Some("image/png"),
                bytes: InlineBytes::Base64("AAAA"),
            })
        );
        assert_eq!(
            inline_medium("x", "data:,a%20b"),
            Some(InlineMedium {
                media_type: None,
                bytes: InlineBytes::Percent("a%20b"),
            })
        );
        assert_eq!(inline_medium("image", "data:image/png;base64,"), None);
        assert_eq!(inline_medium("image", "data:image/png"), None);
    }

    #[test]
    fn base64_is_a_medium_under_a_name_of_media() {
        let long = "QUJD".repeat(100);
        for name in ["b64_json", "image", "imageBase64", "output"] {
            assert!(inline_medium(name, &long).is_some(), "{name}");
        }
        assert_eq!(inline_medium("token", &long), None);
        assert_eq!(inline_medium("image", "QUJD"), None);
        assert_eq!(
            inline_medium("image", &format!("{long} or a sentence")),
            None
        );
    }
}
