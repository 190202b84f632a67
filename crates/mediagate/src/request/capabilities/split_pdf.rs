//! `split_pdf`. Written from the catalogue by `cargo xtask generate`; edits are lost.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use crate::reference::FileInput;
use crate::request::{Capability, Input};

/// Takes pages out of a PDF document.
///
/// The request of `process/asset/split_pdf` (§4.3 of the upstream document), for
/// `Client::split_pdf`.
#[derive(Clone, Serialize, Deserialize)]
#[must_use]
pub struct SplitPdf {
    /// The document.
    /// Takes a PDF.
    pub input_file_id: FileInput,
    /// The pages to keep, such as 1-3, 1,3,5 or 1-2,5.
    pub page_range: String,
    /// The model to use; left out, the media service uses its default.
    /// The default is `"split-pdf-default"`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_id: Option<String>,
    /// A title for the task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Fields that have no member here, such as those of a newer gateway.
    #[serde(flatten)]
    pub more: Map<String, Json>,
}

impl SplitPdf {
    /// Makes a request with the required fields.
    pub fn new(input_file_id: impl Into<FileInput>, page_range: impl Into<String>) -> Self {
        Self {
            input_file_id: input_file_id.into(),
            page_range: page_range.into(),
            model_id: None,
            title: None,
            more: Map::new(),
        }
    }

    /// Sets `model_id`.
    pub fn model_id(mut self, model_id: impl Into<String>) -> Self {
        self.model_id = Some(model_id.into());
        self
    }

    /// Sets `title`.
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }
}

impl Capability for SplitPdf {
    const NAME: &'static str = "split_pdf";

    fn into_input(self) -> Input {
        Input::from(Json::Object(self.more))
            .member("input_file_id", self.input_file_id)
            .member("page_range", self.page_range)
            .member("model_id", self.model_id)
            .member("title", self.title)
    }
}

/// Prints only the names of the fields, because prompts are private.
impl fmt::Debug for SplitPdf {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.clone().into_input().debug_as("SplitPdf", formatter)
    }
}
