//! `add_audio_to_video`. Written from the catalogue by `cargo xtask generate`; edits are lost.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use crate::reference::FileInput;
use crate::request::{Capability, Input};

/// Replaces or adds the sound of a video.
///
/// The request of `process/video/add_audio_to_video` (§4.3 of the upstream document), for
/// `Client::add_audio_to_video`.
#[derive(Clone, Serialize, Deserialize)]
#[must_use]
pub struct AddAudioToVideo {
    /// The video.
    /// Takes a video.
    pub video_file_id: FileInput,
    /// The new sound.
    /// Takes a sound.
    pub audio_file_id: FileInput,
    /// The model to use; left out, the media service uses its default.
    /// The default is `"add-audio-to-video-default"`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_id: Option<String>,
    /// A title for the task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Fields that have no member here, such as those of a newer gateway.
    #[serde(flatten)]
    pub more: Map<String, Json>,
}

impl AddAudioToVideo {
    /// Makes a request with the required fields.
    pub fn new(video_file_id: impl Into<FileInput>, audio_file_id: impl Into<FileInput>) -> Self {
        Self {
            video_file_id: video_file_id.into(),
            audio_file_id: audio_file_id.into(),
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

impl Capability for AddAudioToVideo {
    const NAME: &'static str = "add_audio_to_video";

    fn into_input(self) -> Input {
        Input::from(Json::Object(self.more))
            .member("video_file_id", self.video_file_id)
            .member("audio_file_id", self.audio_file_id)
            .member("model_id", self.model_id)
            .member("title", self.title)
    }
}

/// Prints only the names of the fields, because prompts are private.
impl fmt::Debug for AddAudioToVideo {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.clone()
            .into_input()
            .debug_as("AddAudioToVideo", formatter)
    }
}
