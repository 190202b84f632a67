//! `image_to_video`. Written from the catalogue by `cargo xtask generate`; edits are lost.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use crate::reference::FileInput;
use crate::request::{Capability, Input};

/// Makes a video from a picture and a motion prompt. The default model needs the Starter plan and
/// is billed per second of video.
///
/// The request of `generate/video/image_to_video` (§4.2 of the upstream document), for
/// `Client::image_to_video`.
#[derive(Clone, Serialize, Deserialize)]
#[must_use]
pub struct ImageToVideo {
    /// The picture to bring to life.
    /// Takes an image.
    pub file_id: FileInput,
    /// The motion; must not be empty.
    pub prompt: String,
    /// Shape of the picture, such as 16:9 or 9:16.
    /// Known values: `16:9`, `9:16`; a model may accept others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aspect_ratio: Option<String>,
    /// Resolution label.
    /// Known values: `720P`, `1080P`; a model may accept others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clarity: Option<String>,
    /// Length of the video in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_seconds: Option<i32>,
    /// The model to use; left out, the media service uses its default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_id: Option<String>,
    /// A title for the task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Fields that have no member here, such as those of a newer gateway.
    #[serde(flatten)]
    pub more: Map<String, Json>,
}

impl ImageToVideo {
    /// Makes a request with the required fields.
    pub fn new(file_id: impl Into<FileInput>, prompt: impl Into<String>) -> Self {
        Self {
            file_id: file_id.into(),
            prompt: prompt.into(),
            aspect_ratio: None,
            clarity: None,
            duration_seconds: None,
            model_id: None,
            title: None,
            more: Map::new(),
        }
    }

    /// Sets `aspect_ratio`.
    pub fn aspect_ratio(mut self, aspect_ratio: impl Into<String>) -> Self {
        self.aspect_ratio = Some(aspect_ratio.into());
        self
    }

    /// Sets `clarity`.
    pub fn clarity(mut self, clarity: impl Into<String>) -> Self {
        self.clarity = Some(clarity.into());
        self
    }

    /// Sets `duration_seconds`.
    pub fn duration_seconds(mut self, duration_seconds: i32) -> Self {
        self.duration_seconds = Some(duration_seconds);
        self
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

impl Capability for ImageToVideo {
    const NAME: &'static str = "image_to_video";

    fn into_input(self) -> Input {
        Input::from(Json::Object(self.more))
            .member("file_id", self.file_id)
            .member("prompt", self.prompt)
            .member("aspect_ratio", self.aspect_ratio)
            .member("clarity", self.clarity)
            .member("duration_seconds", self.duration_seconds)
            .member("model_id", self.model_id)
            .member("title", self.title)
    }
}

/// Prints only the names of the fields, because prompts are private.
impl fmt::Debug for ImageToVideo {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.clone()
            .into_input()
            .debug_as("ImageToVideo", formatter)
    }
}
