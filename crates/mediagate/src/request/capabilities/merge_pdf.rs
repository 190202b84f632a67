//! `merge_pdf`. Written from the catalogue by `cargo xtask generate`; edits are lost.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use crate::reference::FileInput;
use crate::request::{Capability, Input};

/// Joins PDF documents into one.
///
/// The request of `process/asset/merge_pdf` (§4.3 of the upstream document), for
/// `Client::merge_pdf`.
#[derive(Clone, Serialize, Deserialize)]
#[must_use]
pub struct MergePdf {
    /// The documents, in order.
    /// Takes PDFs.
    pub input_file_ids: Vec<FileInput>,
    /// The model to use; left out, the media service uses its default.
    /// The default is `"merge-pdf-default"`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_id: Option<String>,
    /// A title for the task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Fields that have no member here, such as those of a newer gateway.
    #[serde(flatten)]
    pub more: Map<String, Json>,
}

impl MergePdf {
    /// Makes a request with the required fields.
    pub fn new(input_file_ids: impl IntoIterator<Item = impl Into<FileInput>>) -> Self {
        Self {
            input_file_ids: input_file_ids.into_iter().map(Into::into).collect(),
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

impl Capability for MergePdf {
    const NAME: &'static str = "merge_pdf";

    fn into_input(self) -> Input {
        Input::from(Json::Object(self.more))
            .member("input_file_ids", self.input_file_ids)
            .member("model_id", self.model_id)
            .member("title", self.title)
    }
}

/// Prints only the names of the fields, because prompts are private.
impl fmt::Debug for MergePdf {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.clone().into_input().debug_as("MergePdf", formatter)
    }
}
