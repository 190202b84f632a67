//! `image_audio_driven`. Written from the catalogue by `cargo xtask generate`; edits are lost.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use crate::reference::FileInput;
use crate::request::{Capability, Input};

/// Makes a person in a picture speak an uploaded sound.
///
/// The request of `generate/video/image_audio_driven` (§4.2 of the upstream document), for
/// `Client::image_audio_driven`.
#[derive(Clone, Serialize, Deserialize)]
#[must_use]
pub struct ImageAudioDriven {
    /// The manner of speaking.
    pub prompt_text: String,
    /// The person, as a reference image.
    /// Takes an image.
    pub prompt_image_file_id: FileInput,
    /// The speech of the person, as an uploaded sound.
    /// Takes a sound.
    pub prompt_audio_file_id: FileInput,
    /// Size to which frames are brought before generation.
    /// Known values: `720p`; a model may accept others.
    /// The default is `"720p"`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resolution: Option<String>,
    /// The model to use; left out, the media service uses its default.
    /// The default is `"image-audio-driven-video-default"`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_id: Option<String>,
    /// A title for the task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Fields that have no member here, such as those of a newer gateway.
    #[serde(flatten)]
    pub more: Map<String, Json>,
}

impl ImageAudioDriven {
    /// Makes a request with the required fields.
    pub fn new(
        prompt_text: impl Into<String>,
        prompt_image_file_id: impl Into<FileInput>,
        prompt_audio_file_id: impl Into<FileInput>,
    ) -> Self {
        Self {
            prompt_text: prompt_text.into(),
            prompt_image_file_id: prompt_image_file_id.into(),
            prompt_audio_file_id: prompt_audio_file_id.into(),
            resolution: None,
            model_id: None,
            title: None,
            more: Map::new(),
        }
    }

    /// Sets `resolution`.
    pub fn resolution(mut self, resolution: impl Into<String>) -> Self {
        self.resolution = Some(resolution.into());
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

impl Capability for ImageAudioDriven {
    const NAME: &'static str = "image_audio_driven";

    fn into_input(self) -> Input {
        Input::from(Json::Object(self.more))
            .member("prompt_text", self.prompt_text)
            .member("prompt_image_file_id", self.prompt_image_file_id)
            .member("prompt_audio_file_id", self.prompt_audio_file_id)
            .member("resolution", self.resolution)
            .member("model_id", self.model_id)
            .member("title", self.title)
    }
}

/// Prints only the names of the fields, because prompts are private.
impl fmt::Debug for ImageAudioDriven {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.clone()
            .into_input()
            .debug_as("ImageAudioDriven", formatter)
    }
}
