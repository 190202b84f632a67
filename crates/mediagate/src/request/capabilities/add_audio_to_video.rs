//! `add_audio_to_video`. Written from the catalogue by `cargo xtask generate`; edits are lost.

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::reference::FileInput;
use crate::request::{Capability, Input};

/// Replaces or adds the sound of a video.
///
/// It is `process/video/add_audio_to_video` of §4.3 of the upstream document, for `Client::add_audio_to_video`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct AddAudioToVideo(Input);

impl AddAudioToVideo {
    /// A request with the fields that it must have:
    ///
    /// - `video_file_id`: The video. A file with a video, which is uploaded first, the id of an uploaded one, or a task or an output.
    /// - `audio_file_id`: The new sound. A file with a sound, which is uploaded first, the id of an uploaded one, or a task or an output.
    #[must_use]
    pub fn new(video_file_id: impl Into<FileInput>, audio_file_id: impl Into<FileInput>) -> Self {
        Self(
            Input::new()
                .file("video_file_id", video_file_id)
                .file("audio_file_id", audio_file_id),
        )
    }

    /// The model to use; left out, the media service uses its default.
    /// The default is `"add-audio-to-video-default"`.
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

impl Capability for AddAudioToVideo {
    const NAME: &'static str = "add_audio_to_video";

    fn into_input(self) -> Input {
        self.0
    }
}
