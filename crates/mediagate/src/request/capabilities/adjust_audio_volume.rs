//! `adjust_audio_volume`. Written from the catalogue by `cargo xtask generate`; edits are lost.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use crate::reference::FileInput;
use crate::request::{Capability, Input};

/// Makes a sound louder or quieter.
///
/// The request of `process/audio/adjust_audio_volume` (§4.3 of the upstream document), for
/// `Client::adjust_audio_volume`.
#[derive(Clone, Serialize, Deserialize)]
#[must_use]
pub struct AdjustAudioVolume {
    /// The sound.
    /// Takes a sound.
    pub input_file_id: FileInput,
    /// A multiplier such as 0.5, or decibels such as -6dB.
    pub volume: String,
    /// The model to use; left out, the media service uses its default.
    /// The default is `"adjust-audio-volume-default"`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_id: Option<String>,
    /// A title for the task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Fields that have no member here, such as those of a newer gateway.
    #[serde(flatten)]
    pub more: Map<String, Json>,
}

impl AdjustAudioVolume {
    /// Makes a request with the required fields.
    pub fn new(input_file_id: impl Into<FileInput>, volume: impl Into<String>) -> Self {
        Self {
            input_file_id: input_file_id.into(),
            volume: volume.into(),
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

impl Capability for AdjustAudioVolume {
    const NAME: &'static str = "adjust_audio_volume";

    fn into_input(self) -> Input {
        Input::from(Json::Object(self.more))
            .member("input_file_id", self.input_file_id)
            .member("volume", self.volume)
            .member("model_id", self.model_id)
            .member("title", self.title)
    }
}

/// Prints only the names of the fields, because prompts are private.
impl fmt::Debug for AdjustAudioVolume {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.clone()
            .into_input()
            .debug_as("AdjustAudioVolume", formatter)
    }
}
