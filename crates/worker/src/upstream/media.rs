//! Media that a response has as text: the gateway stores their bytes, and serves them by a URL of its own.

use base64::Engine;
use base64::alphabet::{STANDARD, URL_SAFE};
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use mediagate_core::outputs::{self, Output};
use mediagate_dialect::{InlineBytes, InlineMedium, inline_medium};
use percent_encoding::percent_decode_str;
use serde_json::Value;

/// The most media of one result.
const MAX_MEDIA: usize = 100;
/// Levels of a result that are searched.
const MAX_DEPTH: usize = 8;
/// The media type of bytes that a browser must not show.
const UNKNOWN_TYPE: &str = "application/octet-stream";

/// The bytes of a medium.
#[derive(Clone, PartialEq)]
pub(crate) struct Medium {
    /// A media type that is safe to serve: of a picture, a video, a sound or a PDF document, or of any bytes.
    pub(crate) media_type: String,
    pub(crate) bytes: Vec<u8>,
}

/// Takes the media out of a result, and adds them to its outputs. In the place of each is its URL, which `url_of` makes of
/// its position. Members with a name in `left_out` stay as they are.
pub(super) fn take_media(
    result: &mut Value,
    left_out: &[String],
    found: &mut Vec<Output>,
    url_of: impl Fn(usize) -> String,
) -> Vec<Medium> {
    let mut media: Vec<Medium> = Vec::new();
    for_each_text(result, "", left_out, MAX_DEPTH, &mut |name, text| {
        let medium = inline_medium(name, text).and_then(decode)?;
        let known = media.iter().position(|other| *other == medium);
        if known.is_none() && media.len() >= MAX_MEDIA {
            return None;
        }
        let url = url_of(known.unwrap_or(media.len()));
        let output = Output {
            url: Some(url.clone()),
            asset_id: None,
            kind: kind_of(&medium.media_type),
        };
        outputs::add(found, output);
        if known.is_none() {
            media.push(medium);
        }
        Some(url)
    });
    media
}

/// Calls `replace` with the name and the text of each member that may have results, and writes what it returns in the
/// place of the text.
fn for_each_text(
    value: &mut Value,
    name: &str,
    left_out: &[String],
    depth: usize,
    replace: &mut dyn FnMut(&str, &str) -> Option<String>,
) {
    if depth == 0 {
        return;
    }
    match value {
        Value::String(text) => {
            if let Some(other) = replace(name, text) {
                *text = other;
            }
        }
        Value::Array(items) => {
            for item in items {
                for_each_text(item, name, left_out, depth - 1, replace);
            }
        }
        Value::Object(members) => {
            for (name, member) in members {
                if !outputs::is_left_out(name, left_out) {
                    for_each_text(member, name, left_out, depth - 1, replace);
                }
            }
        }
        _ => {}
    }
}

/// Decodes a medium. Returns `None` if its text is damaged.
fn decode(inline: InlineMedium<'_>) -> Option<Medium> {
    let bytes = match inline.bytes {
        InlineBytes::Base64(text) => decode_base64(text)?,
        InlineBytes::Percent(text) => percent_decode_str(text).collect(),
    };
    let media_type = media_type_of(&bytes, inline.media_type).to_owned();
    (!bytes.is_empty()).then_some(Medium { media_type, bytes })
}

/// Decodes base64 of either alphabet, with or without padding, which services break into lines.
fn decode_base64(text: &str) -> Option<Vec<u8>> {
    let plain: String = text.split_ascii_whitespace().collect();
    let alphabet = if plain.contains(['-', '_']) {
        &URL_SAFE
    } else {
        &STANDARD
    };
    let config =
        GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
    GeneralPurpose::new(alphabet, config).decode(plain).ok()
}

/// Returns the media type that the bytes have, or else the one that the response says, if it is safe to serve: a browser
/// shows these types, and runs no script in them.
fn media_type_of(bytes: &[u8], said: Option<&str>) -> &'static str {
    const SAFE: [&str; 12] = [
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
    let is_safe = |media_type: &str| {
        ["image/", "video/", "audio/"]
            .iter()
            .any(|kind| media_type.starts_with(kind))
            || media_type == "application/pdf"
    };
    let seen = infer::get(bytes).map(|kind| kind.mime_type());
    let said = said.and_then(|said| {
        SAFE.into_iter()
            .find(|safe| said.eq_ignore_ascii_case(safe))
    });
    seen.filter(|seen| is_safe(seen))
        .or(said)
        .unwrap_or(UNKNOWN_TYPE)
}

/// Returns the kind of an output by its media type.
fn kind_of(media_type: &str) -> Option<&'static str> {
    ["image", "video", "audio", "pdf"]
        .into_iter()
        .find(|kind| media_type.contains(kind))
}

#[cfg(test)]
mod tests {
    use base64::engine::general_purpose::STANDARD as BASE64;
    use serde_json::json;

    use super::*;

    const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR";

    /// A picture that is long enough to be one.
    fn picture() -> (Vec<u8>, String) {
        let bytes = [PNG, &[7; 300]].concat();
        let text = BASE64.encode(&bytes);
        (bytes, text)
    }

    fn taken(mut result: Value) -> (Value, Vec<Output>, Vec<Medium>) {
        let mut found = Vec::new();
        let url_of = |position| format!("https://g/{position}");
        let media = take_media(&mut result, &[], &mut found, url_of);
        (result, found, media)
    }

    #[test]
    fn base64_becomes_an_output_with_a_url() {
        let (bytes, text) = picture();
        let (result, found, media) = taken(json!({"images": [{"b64_json": text, "seed": 7}]}));
        assert_eq!(
            result,
            json!({"images": [{"b64_json": "https://g/0", "seed": 7}]})
        );
        assert_eq!(found[0].url.as_deref(), Some("https://g/0"));
        assert_eq!(found[0].kind, Some("image"));
        assert_eq!(
            (media[0].media_type.as_str(), &media[0].bytes),
            ("image/png", &bytes)
        );
    }

    #[test]
    fn a_medium_that_is_there_twice_is_stored_once() {
        let (_, text) = picture();
        let uri = format!("data:image/png;base64,{text}");
        let (result, found, media) = taken(json!({"image": text, "images": [uri]}));
        assert_eq!(
            result,
            json!({"image": "https://g/0", "images": ["https://g/0"]})
        );
        assert_eq!((found.len(), media.len()), (1, 1));
    }

    #[test]
    fn base64_is_read_in_each_of_its_forms() {
        let bytes: Vec<u8> = [PNG, &[0xfb; 301]].concat();
        let text = BASE64.encode(&bytes);
        let forms = [
            text.clone(),
            text.trim_end_matches('=').to_owned(),
            text.replace('+', "-").replace('/', "_"),
            text.as_bytes()
                .chunks(76)
                .map(|line| String::from_utf8_lossy(line).into_owned())
                .collect::<Vec<_>>()
                .join("\r\n"),
        ];
        for form in forms {
            let (_, _, media) = taken(json!({"image": form}));
            assert_eq!(media.first().map(|medium| &medium.bytes), Some(&bytes));
        }
    }

    #[test]
    fn what_is_no_medium_stays() {
        let (_, text) = picture();
        for result in [
            json!({"input": {"image": text}}),
            json!({"thumbnail": {"image": text}}),
            json!({"token": text}),
            json!({"image": format!("{}=A", text)}),
            json!({"url": "https://h/a.png"}),
        ] {
            let (same, found, media) = taken(result.clone());
            assert_eq!((same, found.len(), media.len()), (result, 0, 0));
        }
    }

    #[test]
    fn only_types_that_run_no_script_are_served() {
        let page = "data:text/html,%3Cscript%3E";
        let drawing = "data:image/svg+xml;base64,PHN2Zy8+";
        let sound = "data:audio/mpeg;base64,AAAA";
        for (uri, media_type) in [
            (page, UNKNOWN_TYPE),
            (drawing, UNKNOWN_TYPE),
            (sound, "audio/mpeg"),
        ] {
            let (_, _, media) = taken(json!({ "file": uri }));
            assert_eq!(media[0].media_type, media_type, "{uri}");
        }
    }
}
