//! The results of a task.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// One result. This is also its record on disk.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Output {
    /// The name of its file, which is the last part of its URL.
    pub(crate) name: String,
    /// Its media type.
    pub(crate) mime: String,
    /// Its size in bytes.
    pub(crate) size: usize,
    /// In what way it is less than what was requested.
    pub(crate) note: Option<String>,
}

/// The result of a task's work: its outputs, or a sentence on why it failed.
pub(crate) type TaskResult = Result<Vec<Output>, String>;

impl Output {
    /// The record in `outputs`: `{url, content_type, size, note}`, with a URL below `base_url`.
    pub(crate) fn record(&self, base_url: &str) -> Value {
        let Output {
            name,
            mime,
            size,
            note,
        } = self;
        let mut record = json!({ "url": format!("{base_url}/files/{name}"), "content_type": mime, "size": size });
        if let Some(note) = note {
            record["note"] = json!(note);
        }
        record
    }
}
