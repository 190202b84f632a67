//! `image_audio_driven`. Written from the catalogue by `cargo xtask generate`; edits are lost.

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::reference::FileInput;
use crate::request::{Capability, Input};

/// Makes a person in a picture speak an uploaded sound.
///
/// It is `generate/video/image_audio_driven` of §4.2 of the upstream document, for `Client::image_audio_driven`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ImageAudioDriven(Input);

impl ImageAudioDriven {
    /// A request with the fields that it must have:
    ///
    /// - `prompt_text`: How the person talks.
    /// - `prompt_image_file_id`: The person, as a reference image. A file with an image, which is uploaded first, the id of an uploaded one, or a task or an output.
    /// - `prompt_audio_file_id`: What the person says. A file with a sound, which is uploaded first, the id of an uploaded one, or a task or an output.
    #[must_use]
    pub fn new(
        prompt_text: impl Into<String>,
        prompt_image_file_id: impl Into<FileInput>,
        prompt_audio_file_id: impl Into<FileInput>,
    ) -> Self {
        Self(
            Input::new()
                .with("prompt_text", prompt_text.into())
                .file("prompt_image_file_id", prompt_image_file_id)
                .file("prompt_audio_file_id", prompt_audio_file_id),
        )
    }

    /// Size to which frames are brought before generation.
    /// Known values: `720p`; a model may accept others.
    /// The default is `"720p"`.
    #[must_use]
    pub fn resolution(self, resolution: impl Into<String>) -> Self {
        Self(self.0.with("resolution", resolution.into()))
    }

    /// The model to use; left out, the media service uses its default.
    /// The default is `"image-audio-driven-video-default"`.
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

impl Capability for ImageAudioDriven {
    const NAME: &'static str = "image_audio_driven";

    fn into_input(self) -> Input {
        self.0
    }
}
