//! `merge_pdf`. Written from the catalogue by `cargo xtask generate`; edits are lost.

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::reference::FileInput;
use crate::request::{Capability, Input};

/// Joins PDF documents into one.
///
/// It is `process/asset/merge_pdf` of §4.3 of the upstream document, for `Client::merge_pdf`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MergePdf(Input);

impl MergePdf {
    /// A request with the fields that it must have:
    ///
    /// - `input_file_ids`: The documents, in order. Files with a PDF each, which are uploaded first, ids of uploaded ones, or tasks or outputs.
    #[must_use]
    pub fn new(input_file_ids: impl IntoIterator<Item = impl Into<FileInput>>) -> Self {
        Self(Input::new().files("input_file_ids", input_file_ids))
    }

    /// The model to use; left out, the media service uses its default.
    /// The default is `"merge-pdf-default"`.
    #[must_use]
    pub fn model_id(self, model_id: impl Into<String>) -> Self {
        Self(self.0.with("model_id", model_id.into()))
    }

    /// A title for the task.
    #[must_use]
    pub fn title(self, title: impl Into<String>) -> Self {
        Self(self.0.with("title", title.into()))
    }

    /// Sets a field that has no method, such as one of a newer gateway.
    #[must_use]
    pub fn with(self, name: impl Into<String>, value: impl Into<Json>) -> Self {
        Self(self.0.with(name, value))
    }
}

impl Capability for MergePdf {
    const NAME: &'static str = "merge_pdf";

    fn into_input(self) -> Input {
        self.0
    }
}
