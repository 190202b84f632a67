//! The body of a create.

use mediagate_core::{Capability, Kind};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::crypto::hash;
use crate::ids::variant_of;

/// The maximum length of a title that is stored, in characters.
pub(crate) const MAX_TITLE_CHARS: usize = 200;

/// The maximum length of a label, in characters.
const MAX_LABEL_CHARS: usize = 100;

/// The body of a create as the upstream gets it, and the values that the ledger needs. They are
/// read once, when the body is made.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct CreateBody {
    /// The JSON for the upstream. Equivalent bodies have the same text.
    pub(crate) text: String,
    /// A hash of the text, by which the ledger refuses a key that is used again with another body.
    pub(crate) fingerprint: String,
    /// The member `title`, shortened, for the history.
    pub(crate) title: Option<String>,
    /// The title or the beginning of the prompt, for the names of files.
    pub(crate) label: Option<String>,
    /// A short name of the members that explain the duration of the task.
    pub(crate) variant: String,
    /// The upstream's ids of the files, which a dialect may need to confirm.
    pub(crate) file_ids: Vec<String>,
}

impl CreateBody {
    pub(crate) fn new(capability: &Capability, body: &Value) -> Self {
        let text = body.to_string();
        let title = body["title"].as_str();
        let label = ["title", "prompt", "text"]
            .iter()
            .filter_map(|name| body[name].as_str())
            .find(|text| !text.trim().is_empty());
        CreateBody {
            label: label.map(|text| text.chars().take(MAX_LABEL_CHARS).collect()),
            fingerprint: hash(&[&text]),
            title: title.map(|title| title.chars().take(MAX_TITLE_CHARS).collect()),
            variant: variant_of(body),
            file_ids: file_ids(capability, body),
            text,
        }
    }
}

/// Returns the ids of the files in the body of a create.
fn file_ids(capability: &Capability, body: &Value) -> Vec<String> {
    let mut ids = Vec::new();
    for field in capability.fields() {
        if field.kind.media().is_none() {
            continue;
        }
        match (field.kind, &body[field.name]) {
            (_, Value::String(id)) => ids.push(id.clone()),
            (Kind::Files(_) | Kind::FileOrFiles(_), Value::Array(items)) => {
                ids.extend(items.iter().filter_map(Value::as_str).map(str::to_owned));
            }
            _ => {}
        }
    }
    ids
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_files_of_a_body_are_those_of_its_fields() {
        let of = |name: &str, body: Value| -> Vec<String> {
            let capability = mediagate_core::find(name).expect("a capability");
            CreateBody::new(capability, &body).file_ids
        };
        let swap = json!({"source_image_file_id": "a", "target_head_image_file_id": "b"});
        assert_eq!(of("head_swap", swap), ["a", "b"]);
        let list = json!({"prompt": "p", "image_file_ids": ["a", "b"], "audio_file_ids": null});
        assert_eq!(of("omni_reference_to_video", list), ["a", "b"]);
        let body = json!({"prompt": "p", "file_id": "not a field of this capability"});
        assert_eq!(of("text_to_image", body), Vec::<String>::new());
    }
}
