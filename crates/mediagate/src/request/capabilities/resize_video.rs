//! `resize_video`. Written from the catalogue by `cargo xtask generate`; edits are lost.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use crate::reference::FileInput;
use crate::request::{Capability, Input};

/// Brings a video to another size.
///
/// The request of `process/video/resize_video` (§4.3 of the upstream document), for
/// `Client::resize_video`.
#[derive(Clone, Serialize, Deserialize)]
#[must_use]
pub struct ResizeVideo {
    /// The video.
    /// Takes a video.
    pub input_file_id: FileInput,
    /// In pixels.
    pub width: i64,
    /// In pixels.
    pub height: i64,
    /// The model to use; left out, the media service uses its default.
    /// The default is `"resize-video-default"`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_id: Option<String>,
    /// A title for the task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Fields that have no member here, such as those of a newer gateway.
    #[serde(flatten)]
    pub more: Map<String, Json>,
}

impl ResizeVideo {
    /// Makes a request with the required fields.
    pub fn new(input_file_id: impl Into<FileInput>, width: i64, height: i64) -> Self {
        Self {
            input_file_id: input_file_id.into(),
            width,
            height,
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

impl Capability for ResizeVideo {
    const NAME: &'static str = "resize_video";

    fn into_input(self) -> Input {
        Input::from(Json::Object(self.more))
            .member("input_file_id", self.input_file_id)
            .member("width", self.width)
            .member("height", self.height)
            .member("model_id", self.model_id)
            .member("title", self.title)
    }
}

/// Prints only the names of the fields, because prompts are private.
impl fmt::Debug for ResizeVideo {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.clone().into_input().debug_as("ResizeVideo", formatter)
    }
}
