//! `text_to_image`. Written from the catalogue by `cargo xtask generate`; edits are lost.

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::request::{Capability, Input};

/// Draws a picture from a text prompt.
///
/// It is `generate/image/text_to_image` of §4.2 of the upstream document, for `Client::text_to_image`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TextToImage(Input);

impl TextToImage {
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

    /// The same seed draws the same picture; -1 picks one.
    /// The default is `-1`.
    #[must_use]
    pub fn seed(self, seed: i64) -> Self {
        Self(self.0.with("seed", seed))
    }

    /// Steps of refinement.
    /// The default is `9`.
    #[must_use]
    pub fn num_inference_steps(self, num_inference_steps: i64) -> Self {
        Self(self.0.with("num_inference_steps", num_inference_steps))
    }

    /// How closely the picture follows the prompt.
    /// The default is `0.0`.
    #[must_use]
    pub fn guidance_scale(self, guidance_scale: f64) -> Self {
        Self(self.0.with("guidance_scale", guidance_scale))
    }

    /// Whether the guidance is normalised.
    /// The default is `false`.
    #[must_use]
    pub fn cfg_normalization(self, cfg_normalization: bool) -> Self {
        Self(self.0.with("cfg_normalization", cfg_normalization))
    }

    /// Where the guidance is cut off.
    /// The default is `1.0`.
    #[must_use]
    pub fn cfg_truncation(self, cfg_truncation: f64) -> Self {
        Self(self.0.with("cfg_truncation", cfg_truncation))
    }

    /// How much of the prompt is read, in tokens.
    /// The default is `512`.
    #[must_use]
    pub fn max_sequence_length(self, max_sequence_length: i64) -> Self {
        Self(self.0.with("max_sequence_length", max_sequence_length))
    }

    /// The model to use; left out, the media service uses its default.
    /// The default is `"text-to-image-default"`.
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

impl Capability for TextToImage {
    const NAME: &'static str = "text_to_image";

    fn into_input(self) -> Input {
        self.0
    }
}
