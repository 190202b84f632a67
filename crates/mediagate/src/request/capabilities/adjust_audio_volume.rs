//! `adjust_audio_volume`. Written from the catalogue by `cargo xtask generate`; edits are lost.

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::reference::FileInput;
use crate::request::{Capability, Input};

/// Makes a sound louder or quieter.
///
/// It is `process/audio/adjust_audio_volume` of §4.3 of the upstream document, for `Client::adjust_audio_volume`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct AdjustAudioVolume(Input);

impl AdjustAudioVolume {
    /// A request with the fields that it must have:
    ///
    /// - `input_file_id`: The sound. A file with a sound, which is uploaded first, the id of an uploaded one, or a task or an output.
    /// - `volume`: A multiplier such as 0.5, or decibels such as -6dB.
    #[must_use]
    pub fn new(input_file_id: impl Into<FileInput>, volume: impl Into<String>) -> Self {
        Self(
            Input::new()
                .file("input_file_id", input_file_id)
                .with("volume", volume.into()),
        )
    }

    /// The model to use; left out, the media service uses its default.
    /// The default is `"adjust-audio-volume-default"`.
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

impl Capability for AdjustAudioVolume {
    const NAME: &'static str = "adjust_audio_volume";

    fn into_input(self) -> Input {
        self.0
    }
}
