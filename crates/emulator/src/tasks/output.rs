use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::media::MediaError;

/// One result. This is also its record on disk.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Output {
    /// The name of the file, which is the last part of the URL.
    pub(crate) name: String,
    pub(crate) mime: String,
    /// In bytes.
    pub(crate) size: usize,
    pub(crate) note: Option<String>,
}

/// The outputs of a task's work, or the reason why the work failed.
pub(crate) type TaskResult = Result<Vec<Output>, Failure>;

/// The reason why the work of a task failed. This is also its record on disk.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Failure {
    /// One sentence.
    pub(crate) message: String,
    /// True if the reason is in the request or in one of its files.
    pub(crate) is_of_input: bool,
}

impl From<MediaError> for Failure {
    fn from(error: MediaError) -> Self {
        Failure {
            message: error.to_string(),
            is_of_input: error.is_of_input(),
        }
    }
}

impl Output {
    /// Returns the record in `outputs`: `{url, content_type, size, note}`, with a URL below
    /// `base_url`.
    pub(crate) fn record(&self, base_url: &str) -> Value {
        let Output {
            name,
            mime,
            size,
            note,
        } = self;
        let url = format!("{base_url}/files/{name}");
        let mut record = json!({ "url": url, "content_type": mime, "size": size });
        if let Some(note) = note {
            record["note"] = json!(note);
        }
        record
    }
}
