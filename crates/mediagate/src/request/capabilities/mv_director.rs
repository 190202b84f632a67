//! `mv_director`. Written from the catalogue by `cargo xtask generate`; edits are lost.

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::reference::FileInput;
use crate::request::{Capability, Input};

/// Directs a music video from one track and one portrait.
///
/// It is `generate/video/mv_director` of §4.2 of the upstream document, for `Client::mv_director`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MvDirector(Input);

impl MvDirector {
    /// A request with the fields that it must have:
    ///
    /// - `prompt_image_file_id`: The portrait of the artist. A file with an image, which is uploaded first, the id of an uploaded one, or a task or an output.
    /// - `prompt_audio_file_id`: The track. A file with a sound, which is uploaded first, the id of an uploaded one, or a task or an output.
    #[must_use]
    pub fn new(
        prompt_image_file_id: impl Into<FileInput>,
        prompt_audio_file_id: impl Into<FileInput>,
    ) -> Self {
        Self(
            Input::new()
                .file("prompt_image_file_id", prompt_image_file_id)
                .file("prompt_audio_file_id", prompt_audio_file_id),
        )
    }

    /// The character for the shot designer; left out, the media service describes a moody cinematic night drive.
    #[must_use]
    pub fn persona(self, persona: impl Into<String>) -> Self {
        Self(self.0.with("persona", persona.into()))
    }

    /// The model to use; left out, the media service uses its default.
    /// The default is `"mv-director-default"`.
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

impl Capability for MvDirector {
    const NAME: &'static str = "mv_director";

    fn into_input(self) -> Input {
        self.0
    }
}
