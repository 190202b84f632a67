//! `text_to_image`. Written from the catalogue by `cargo xtask generate`; edits are lost.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use crate::request::{Capability, Input};

/// Draws a picture from a text prompt.
///
/// The request of `generate/image/text_to_image` (§4.2 of the upstream document), for
/// `Client::text_to_image`.
#[derive(Clone, Serialize, Deserialize)]
#[must_use]
pub struct TextToImage {
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
    /// The seed; -1 generates one.
    /// The default is `-1`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<i64>,
    /// Steps of refinement.
    /// The default is `9`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub num_inference_steps: Option<i64>,
    /// The degree to which the picture follows the prompt.
    /// The default is `0.0`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub guidance_scale: Option<f64>,
    /// Normalises the guidance.
    /// The default is `false`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cfg_normalization: Option<bool>,
    /// The point at which the guidance is cut off.
    /// The default is `1.0`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cfg_truncation: Option<f64>,
    /// Maximum text sequence length.
    /// The default is `512`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_sequence_length: Option<i64>,
    /// The model to use; left out, the media service uses its default.
    /// The default is `"text-to-image-default"`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_id: Option<String>,
    /// A title for the task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Fields that have no member here, such as those of a newer gateway.
    #[serde(flatten)]
    pub more: Map<String, Json>,
}

impl TextToImage {
    /// Makes a request with the required fields.
    pub fn new(prompt: impl Into<String>) -> Self {
        Self {
            prompt: prompt.into(),
            negative_prompt: None,
            height: None,
            width: None,
            seed: None,
            num_inference_steps: None,
            guidance_scale: None,
            cfg_normalization: None,
            cfg_truncation: None,
            max_sequence_length: None,
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

    /// Sets `seed`.
    pub fn seed(mut self, seed: i64) -> Self {
        self.seed = Some(seed);
        self
    }

    /// Sets `num_inference_steps`.
    pub fn num_inference_steps(mut self, num_inference_steps: i64) -> Self {
        self.num_inference_steps = Some(num_inference_steps);
        self
    }

    /// Sets `guidance_scale`.
    pub fn guidance_scale(mut self, guidance_scale: f64) -> Self {
        self.guidance_scale = Some(guidance_scale);
        self
    }

    /// Sets `cfg_normalization`.
    pub fn cfg_normalization(mut self, cfg_normalization: bool) -> Self {
        self.cfg_normalization = Some(cfg_normalization);
        self
    }

    /// Sets `cfg_truncation`.
    pub fn cfg_truncation(mut self, cfg_truncation: f64) -> Self {
        self.cfg_truncation = Some(cfg_truncation);
        self
    }

    /// Sets `max_sequence_length`.
    pub fn max_sequence_length(mut self, max_sequence_length: i64) -> Self {
        self.max_sequence_length = Some(max_sequence_length);
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

impl Capability for TextToImage {
    const NAME: &'static str = "text_to_image";

    fn into_input(self) -> Input {
        Input::from(Json::Object(self.more))
            .member("prompt", self.prompt)
            .member("negative_prompt", self.negative_prompt)
            .member("height", self.height)
            .member("width", self.width)
            .member("seed", self.seed)
            .member("num_inference_steps", self.num_inference_steps)
            .member("guidance_scale", self.guidance_scale)
            .member("cfg_normalization", self.cfg_normalization)
            .member("cfg_truncation", self.cfg_truncation)
            .member("max_sequence_length", self.max_sequence_length)
            .member("model_id", self.model_id)
            .member("title", self.title)
    }
}

/// Prints only the names of the fields, because prompts are private.
impl fmt::Debug for TextToImage {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.clone().into_input().debug_as("TextToImage", formatter)
    }
}
