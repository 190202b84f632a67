//! Media that a response has as text. The gateway serves their bytes at URLs of its own.

use std::hash::{DefaultHasher, Hash, Hasher};

use mediagate_core::outputs::{self, Output};
use mediagate_dialect::{InlineMedium, inline_medium};
use serde_json::Value;

use super::UpstreamClient;

const MAX_MEDIA: usize = 100;
const MAX_DEPTH: usize = 8;

#[derive(Clone, PartialEq)]
pub(crate) struct Medium {
    /// A media type that is safe to serve.
    pub(crate) media_type: String,
    pub(crate) bytes: Vec<u8>,
}

impl UpstreamClient<'_> {
    /// Replaces the media in a response by URLs. Returns the media by their positions, and as
    /// outputs. A medium that contains the API key is `None`. `url_of` makes a URL from a position.
    pub(super) fn take_media(
        &self,
        response: &mut Value,
        url_of: impl Fn(usize) -> String,
    ) -> (Vec<Option<Medium>>, Vec<Output>) {
        let left_out = &self.upstream.settings.dialect.task.not_outputs;
        let mut media = Vec::new();
        let found = link_media(response, left_out, |position, inline| {
            if position == media.len() {
                media.push(self.decoded(inline));
            }
            url_of(position)
        });
        (media, found)
    }

    /// Returns the bytes of a medium, unless they contain the API key.
    fn decoded(&self, medium: &InlineMedium<'_>) -> Option<Medium> {
        let bytes = medium.decode()?;
        // The redactor does not find a key in base64 that is broken into lines.
        let is_secret = self.upstream.redactor.is_in(&bytes);
        (!is_secret).then(|| Medium {
            media_type: medium.media_type.to_owned(),
            bytes,
        })
    }
}

/// Replaces the media in a response by URLs, and returns the media as outputs. `url_of` makes a URL
/// from a medium and its position. Equal media have one position, and may be passed several times.
/// Members with a name in `left_out` stay as they are.
pub(super) fn link_media(
    response: &mut Value,
    left_out: &[String],
    mut url_of: impl FnMut(usize, &InlineMedium<'_>) -> String,
) -> Vec<Output> {
    let mut found = Vec::new();
    let mut positions = Positions::default();
    replace_texts(response, "", left_out, MAX_DEPTH, &mut |name, text| {
        let medium = inline_medium(name, text)?;
        let url = url_of(positions.of(text)?, &medium);
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

    /// Returns the response with URLs, its outputs, and its media by their positions.
    fn linked(mut response: Value, left_out: &[String]) -> (Value, Vec<Output>, Vec<Vec<u8>>) {
        let mut media = Vec::new();
        let found = link_media(&mut response, left_out, |position, medium| {
            if position == media.len() {
                media.push(medium.decode().expect("base64"));
            }
            format!("https://g/{position}")
        });
        (response, found, media)
    }

    #[test]
    fn base64_becomes_an_output_with_a_url() {
        let (bytes, text) = picture(7);
        let response = json!({"images": [{"b64_json": text, "seed": 7}]});
        let (response, found, media) = linked(response, &[]);
        assert_eq!(media, [bytes]);
        assert_eq!(
            response,
            json!({"images": [{"b64_json": "https://g/0", "seed": 7}]})
        );
        assert_eq!(found[0].url.as_deref(), Some("https://g/0"));
        assert_eq!(found[0].kind, Some("image"));
    }

    #[test]
    fn positions_are_those_of_distinct_media() {
        let (bytes_of_one, one) = picture(1);
        let (bytes_of_other, other) = picture(2);
        let response = json!({"images": [one, one, other], "output": one});
        let (response, found, media) = linked(response, &[]);
        assert_eq!(media, [bytes_of_one, bytes_of_other]);
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
            assert_eq!(
                linked(response.clone(), &[]),
                (response, Vec::new(), Vec::new())
            );
        }
        let named = json!({"mask_image": text});
        assert_eq!(linked(named.clone(), &["mask_image".to_owned()]).0, named);
    }
}
