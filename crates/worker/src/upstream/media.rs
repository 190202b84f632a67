//! Media that a response has as text. The gateway serves their bytes at URLs of its own.

use std::hash::{DefaultHasher, Hash, Hasher};

use mediagate_core::outputs::{self, Output};
use mediagate_dialect::{InlineMedium, inline_medium};
use serde_json::Value;

/// The maximum number of media in one response.
const MAX_MEDIA: usize = 100;
/// The number of levels of a response that are searched.
const MAX_DEPTH: usize = 8;

/// The bytes of a medium.
#[derive(Clone, PartialEq)]
pub(crate) struct Medium {
    /// A media type that is safe to serve.
    pub(crate) media_type: String,
    pub(crate) bytes: Vec<u8>,
}

/// Replaces the media in a response by URLs, and returns the media as outputs. `url_of` makes a URL
/// from a medium's position. Members with a name in `left_out` stay as they are.
pub(super) fn link_media(
    response: &mut Value,
    left_out: &[String],
    url_of: impl Fn(usize) -> String,
) -> Vec<Output> {
    let mut found = Vec::new();
    let mut positions = Positions::default();
    replace_texts(response, "", left_out, MAX_DEPTH, &mut |name, text| {
        let medium = inline_medium(name, text)?;
        let url = url_of(positions.of(text)?);
        let output = Output {
            url: Some(url.clone()),
            asset_id: None,
            kind: kind_of(medium.media_type),
        };
        outputs::add(&mut found, output);
        Some(url)
    });
    found
}

/// Returns the media in a response, in the order of their positions.
pub(super) fn media_of<'a>(response: &'a Value, left_out: &[String]) -> Vec<InlineMedium<'a>> {
    let mut media = Vec::new();
    let mut positions = Positions::default();
    for_each_text(response, "", left_out, MAX_DEPTH, &mut |name, text| {
        let Some(medium) = inline_medium(name, text) else {
            return; // the text is no medium
        };
        // Equal media share a position, so only the first of them is listed.
        if positions.of(text) == Some(media.len()) {
            media.push(medium);
        }
    });
    media
}

/// The positions of media by their texts. Equal texts have one position.
#[derive(Default)]
struct Positions(Vec<u64>);

impl Positions {
    /// Returns the position of a text, or `None` if there are too many media.
    fn of(&mut self, text: &str) -> Option<usize> {
        let mut hasher = DefaultHasher::new();
        text.hash(&mut hasher);
        let hash = hasher.finish();
        let known = self.0.iter().position(|other| *other == hash);
        if known.is_none() && self.0.len() < MAX_MEDIA {
            self.0.push(hash);
            return Some(self.0.len() - 1);
        }
        known
    }
}

/// Calls `replace` with the name and the text of each member that may have results. A text that
/// `replace` returns replaces the member's text.
fn replace_texts(
    value: &mut Value,
    name: &str,
    left_out: &[String],
    depth: usize,
    replace: &mut dyn FnMut(&str, &str) -> Option<String>,
) {
    if depth == 0 {
        return; // deeper levels are not searched
    }
    match value {
        Value::String(text) => {
            if let Some(other) = replace(name, text) {
                *text = other;
            }
        }
        Value::Array(items) => {
            for item in items {
                replace_texts(item, name, left_out, depth - 1, replace);
            }
        }
        Value::Object(members) => {
            for (name, member) in members {
                if !outputs::is_left_out(name, left_out) {
                    replace_texts(member, name, left_out, depth - 1, replace);
                }
            }
        }
        _ => {}
    }
}

/// Calls `see` with the name and the text of each member that may have results. The order is that
/// of [`replace_texts`], because the positions in URLs depend on it.
fn for_each_text<'a>(
    value: &'a Value,
    name: &str,
    left_out: &[String],
    depth: usize,
    see: &mut dyn FnMut(&str, &'a str),
) {
    if depth == 0 {
        return; // deeper levels are not searched
    }
    match value {
        Value::String(text) => see(name, text),
        Value::Array(items) => {
            for item in items {
                for_each_text(item, name, left_out, depth - 1, see);
            }
        }
        Value::Object(members) => {
            for (name, member) in members {
                if !outputs::is_left_out(name, left_out) {
                    for_each_text(member, name, left_out, depth - 1, see);
                }
            }
        }
        _ => {}
    }
}

/// Returns the kind of an output with a media type.
fn kind_of(media_type: &str) -> Option<&'static str> {
    ["image", "video", "audio", "pdf"]
        .into_iter()
        .find(|kind| media_type.contains(kind))
}

#[cfg(test)]
mod tests {
    use base64::Engine;
    use base64::engine::general_purpose::STANDARD;
    use serde_json::json;

    use super::*;

    fn picture(seed: u8) -> (Vec<u8>, String) {
        let bytes = [b"\x89PNG\r\n\x1a\n".as_slice(), &[seed; 300]].concat();
        let text = STANDARD.encode(&bytes);
        (bytes, text)
    }

    fn linked(mut response: Value) -> (Value, Vec<Output>) {
        let found = link_media(&mut response, &[], |position| {
            format!("https://g/{position}")
        });
        (response, found)
    }

    #[test]
    fn base64_becomes_an_output_with_a_url() {
        let (bytes, text) = picture(7);
        let response = json!({"images": [{"b64_json": text, "seed": 7}]});
        let media = media_of(&response, &[]);
        assert_eq!(media[0].media_type, "image/png");
        assert_eq!(media[0].decode(), Some(bytes));
        let (response, found) = linked(response);
        assert_eq!(
            response,
            json!({"images": [{"b64_json": "https://g/0", "seed": 7}]})
        );
        assert_eq!(found[0].url.as_deref(), Some("https://g/0"));
        assert_eq!(found[0].kind, Some("image"));
    }

    #[test]
    fn positions_are_those_of_distinct_media() {
        let (_, one) = picture(1);
        let (bytes, other) = picture(2);
        let response = json!({"images": [one, one, other], "output": one});
        let media = media_of(&response, &[]);
        assert_eq!(media.len(), 2);
        assert_eq!(media[1].decode(), Some(bytes));
        let (response, found) = linked(response);
        assert_eq!(
            response,
            json!({
                "images": ["https://g/0", "https://g/0", "https://g/1"],
                "output": "https://g/0",
            })
        );
        assert_eq!(found.len(), 2);
    }

    #[test]
    fn what_is_no_medium_stays() {
        let (_, text) = picture(1);
        for response in [
            json!({"input": {"image": text}}),
            json!({"thumbnail": {"image": text}}),
            json!({"token": text}),
            json!({"url": "https://h/a.png"}),
        ] {
            assert!(media_of(&response, &[]).is_empty());
            assert_eq!(linked(response.clone()), (response, Vec::new()));
        }
        let named = json!({"mask_image": text});
        assert!(media_of(&named, &["mask_image".to_owned()]).is_empty());
    }
}
