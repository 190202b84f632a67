//! `text_to_image_turbo`. Written from the catalogue by `cargo xtask generate`; edits are lost.

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::request::{Capability, Input};

/// Draws a picture from a text prompt, faster and with fewer settings.
///
/// It is `generate/image/text_to_image_turbo` of §4.2 of the upstream document, for `Client::text_to_image_turbo`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TextToImageTurbo(Input);

impl TextToImageTurbo {
    /// A request with the fields that it must have:
    ///
    /// - `prompt`: What the picture shows.
    #[must_use]
    pub fn new(prompt: impl Into<String>) -> Self {
        Self(Input::new().with("prompt", prompt.into()))
    }

    /// What the picture should not show.
    #[must_use]
    pub fn negative_prompt(self, negative_prompt: impl Into<String>) -> Self {
        Self(self.0.with("negative_prompt", negative_prompt.into()))
    }

    /// In pixels.
    /// The default is `1024`.
    #[must_use]
    pub fn height(self, height: u32) -> Self {
        Self(self.0.with("height", height))
    }

    /// In pixels.
    /// The default is `1024`.
    #[must_use]
    pub fn width(self, width: u32) -> Self {
        Self(self.0.with("width", width))
    }

    /// The model to use; left out, the media service uses its default.
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

impl Capability for TextToImageTurbo {
    const NAME: &'static str = "text_to_image_turbo";

    fn into_input(self) -> Input {
        self.0
    }
}
