//! `image_to_video`. Written from the catalogue by `cargo xtask generate`; edits are lost.

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::reference::FileInput;
use crate::request::{Capability, Input};

/// Makes a video from a picture and a motion prompt. The default model needs the Starter plan and is billed per second of video.
///
/// It is `generate/video/image_to_video` of §4.2 of the upstream document, for `Client::image_to_video`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ImageToVideo(Input);

impl ImageToVideo {
    /// A request with the fields that it must have:
    ///
    /// - `file_id`: The picture to bring to life. A file with an image, which is uploaded first, the id of an uploaded one, or a task or an output.
    /// - `prompt`: How it moves; must not be empty.
    #[must_use]
    pub fn new(file_id: impl Into<FileInput>, prompt: impl Into<String>) -> Self {
        Self(
            Input::new()
                .file("file_id", file_id)
                .with("prompt", prompt.into()),
        )
    }

    /// Shape of the picture, such as 16:9 or 9:16.
    /// Known values: `16:9`, `9:16`; a model may accept others.
    #[must_use]
    pub fn aspect_ratio(self, aspect_ratio: impl Into<String>) -> Self {
        Self(self.0.with("aspect_ratio", aspect_ratio.into()))
    }

    /// Resolution label.
    /// Known values: `720P`, `1080P`; a model may accept others.
    #[must_use]
    pub fn clarity(self, clarity: impl Into<String>) -> Self {
        Self(self.0.with("clarity", clarity.into()))
    }

    /// Length of the video in seconds.
    #[must_use]
    pub fn duration_seconds(self, duration_seconds: u32) -> Self {
        Self(self.0.with("duration_seconds", duration_seconds))
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

impl Capability for ImageToVideo {
    const NAME: &'static str = "image_to_video";

    fn into_input(self) -> Input {
        self.0
    }
}
