//! `split_pdf`. Written from the catalogue by `cargo xtask generate`; edits are lost.

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::reference::FileInput;
use crate::request::{Capability, Input};

/// Takes pages out of a PDF document.
///
/// It is `process/asset/split_pdf` of §4.3 of the upstream document, for `Client::split_pdf`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SplitPdf(Input);

impl SplitPdf {
    /// A request with the fields that it must have:
    ///
    /// - `input_file_id`: The document. A file with a PDF, which is uploaded first, the id of an uploaded one, or a task or an output.
    /// - `page_range`: The pages to keep, such as 1-3, 1,3,5 or 1-2,5.
    #[must_use]
    pub fn new(input_file_id: impl Into<FileInput>, page_range: impl Into<String>) -> Self {
        Self(
            Input::new()
                .file("input_file_id", input_file_id)
                .with("page_range", page_range.into()),
        )
    }

    /// The model to use; left out, the media service uses its default.
    /// The default is `"split-pdf-default"`.
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

impl Capability for SplitPdf {
    const NAME: &'static str = "split_pdf";

    fn into_input(self) -> Input {
        self.0
    }
}
