//! `text_to_image_turbo`. Written from the catalogue by `cargo xtask generate`; edits are lost.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use crate::request::{Capability, Input};

/// Draws a picture from a text prompt, faster and with fewer settings.
///
/// The request of `generate/image/text_to_image_turbo` (§4.2 of the upstream document), for
/// `Client::text_to_image_turbo`.
#[derive(Clone, Serialize, Deserialize)]
#[must_use]
pub struct TextToImageTurbo {
    /// The content of the picture.
    pub prompt: String,
    /// Things that the picture should not show.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub negative_prompt: Option<String>,
    /// In pixels.
    /// The default is `1024`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub height: Option<i64>,
    /// In pixels.
    /// The default is `1024`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub width: Option<i64>,
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

impl TextToImageTurbo {
    /// Makes a request with the required fields.
    pub fn new(prompt: impl Into<String>) -> Self {
        Self {
            prompt: prompt.into(),
            negative_prompt: None,
            height: None,
            width: None,
            model_id: None,
            title: None,
            more: Map::new(),
        }
    }

    /// Sets `negative_prompt`.
    pub fn negative_prompt(mut self, negative_prompt: impl Into<String>) -> Self {
        self.negative_prompt = Some(negative_prompt.into());
        self
    }

    /// Sets `height`.
    pub fn height(mut self, height: i64) -> Self {
        self.height = Some(height);
        self
    }

    /// Sets `width`.
    pub fn width(mut self, width: i64) -> Self {
        self.width = Some(width);
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

impl Capability for TextToImageTurbo {
    const NAME: &'static str = "text_to_image_turbo";

    fn into_input(self) -> Input {
        Input::from(Json::Object(self.more))
            .member("prompt", self.prompt)
            .member("negative_prompt", self.negative_prompt)
            .member("height", self.height)
            .member("width", self.width)
            .member("model_id", self.model_id)
            .member("title", self.title)
    }
}

/// Prints only the names of the fields, because prompts are private.
impl fmt::Debug for TextToImageTurbo {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.clone()
            .into_input()
            .debug_as("TextToImageTurbo", formatter)
    }
}
