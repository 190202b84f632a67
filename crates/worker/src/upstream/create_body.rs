//! The body of a create.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::crypto::hash;
use crate::ids::variant_of;

/// Longest title that is stored, in characters.
pub(crate) const MAX_TITLE_CHARS: usize = 200;

/// Longest label, in characters.
const MAX_LABEL_CHARS: usize = 100;

/// The body of a create as it is sent to the upstream, and the values that the ledger needs of it, so that it is parsed once.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct CreateBody {
    /// The JSON for the upstream. Equivalent bodies have the same text.
    pub(crate) text: String,
    /// A hash of the text: a key that is used again with another body is refused.
    pub(crate) fingerprint: String,
    /// The member `title`, shortened, for the history.
    pub(crate) title: Option<String>,
    /// The title or the beginning of the prompt, for the names of files.
    pub(crate) label: Option<String>,
    /// A short name of the members that explain the duration of the task.
    pub(crate) variant: String,
}

impl CreateBody {
    pub(crate) fn new(body: &Value) -> Self {
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
            text,
        }
    }
}
