//! `text_to_video`. Written from the catalogue by `cargo xtask generate`; edits are lost.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use crate::request::{Capability, Input};

/// Makes a video from a text prompt.
///
/// An extension: the document of the media service does not have it, and a gateway offers it only
/// if its setting CAPABILITIES names it.
///
/// The request of `generate/video/text_to_video`, for `Client::text_to_video`.
#[derive(Clone, Serialize, Deserialize)]
#[must_use]
pub struct TextToVideo {
    /// The content and the motion of the video; must not be empty.
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
    /// The seed; -1 generates one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<i64>,
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

impl TextToVideo {
    /// Makes a request with the required fields.
    pub fn new(prompt: impl Into<String>) -> Self {
        Self {
            prompt: prompt.into(),
            aspect_ratio: None,
            clarity: None,
            duration_seconds: None,
            seed: None,
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

    /// Sets `seed`.
    pub fn seed(mut self, seed: i64) -> Self {
        self.seed = Some(seed);
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

impl Capability for TextToVideo {
    const NAME: &'static str = "text_to_video";

    fn into_input(self) -> Input {
        Input::from(Json::Object(self.more))
            .member("prompt", self.prompt)
            .member("aspect_ratio", self.aspect_ratio)
            .member("clarity", self.clarity)
            .member("duration_seconds", self.duration_seconds)
            .member("seed", self.seed)
            .member("model_id", self.model_id)
            .member("title", self.title)
    }
}

/// Prints only the names of the fields, because prompts are private.
impl fmt::Debug for TextToVideo {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.clone().into_input().debug_as("TextToVideo", formatter)
    }
}
