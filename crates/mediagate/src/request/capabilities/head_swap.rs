//! `head_swap`. Written from the catalogue by `cargo xtask generate`; edits are lost.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use crate::reference::FileInput;
use crate::request::{Capability, Input};

/// Puts the head of one picture on the body of another.
///
/// The request of `process/image/head_swap` (§4.3 of the upstream document), for
/// `Client::head_swap`.
#[derive(Clone, Serialize, Deserialize)]
#[must_use]
pub struct HeadSwap {
    /// The picture whose head is taken.
    /// Takes an image.
    pub source_image_file_id: FileInput,
    /// The picture whose head is replaced; its body and scene stay.
    /// Takes an image.
    pub target_head_image_file_id: FileInput,
    /// The model to use; left out, the media service uses its default.
    /// The default is `"image-head-swap-default"`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_id: Option<String>,
    /// A title for the task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Fields that have no member here, such as those of a newer gateway.
    #[serde(flatten)]
    pub more: Map<String, Json>,
}

impl HeadSwap {
    /// Makes a request with the required fields.
    pub fn new(
        source_image_file_id: impl Into<FileInput>,
        target_head_image_file_id: impl Into<FileInput>,
    ) -> Self {
        Self {
            source_image_file_id: source_image_file_id.into(),
            target_head_image_file_id: target_head_image_file_id.into(),
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

impl Capability for HeadSwap {
    const NAME: &'static str = "head_swap";

    fn into_input(self) -> Input {
        Input::from(Json::Object(self.more))
            .member("source_image_file_id", self.source_image_file_id)
            .member("target_head_image_file_id", self.target_head_image_file_id)
            .member("model_id", self.model_id)
            .member("title", self.title)
    }
}

/// Prints only the names of the fields, because prompts are private.
impl fmt::Debug for HeadSwap {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.clone().into_input().debug_as("HeadSwap", formatter)
    }
}
