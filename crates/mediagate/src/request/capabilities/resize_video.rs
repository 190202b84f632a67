//! `resize_video`. Written from the catalogue by `cargo xtask generate`; edits are lost.

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::reference::FileInput;
use crate::request::{Capability, Input};

/// Brings a video to another size.
///
/// It is `process/video/resize_video` of §4.3 of the upstream document, for `Client::resize_video`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ResizeVideo(Input);

impl ResizeVideo {
    /// A request with the fields that it must have:
    ///
    /// - `input_file_id`: The video. A file with a video, which is uploaded first, the id of an uploaded one, or a task or an output.
    /// - `width`: In pixels.
    /// - `height`: In pixels.
    #[must_use]
    pub fn new(input_file_id: impl Into<FileInput>, width: u32, height: u32) -> Self {
        Self(
            Input::new()
                .file("input_file_id", input_file_id)
                .with("width", width)
                .with("height", height),
        )
    }

    /// The model to use; left out, the media service uses its default.
    /// The default is `"resize-video-default"`.
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

impl Capability for ResizeVideo {
    const NAME: &'static str = "resize_video";

    fn into_input(self) -> Input {
        self.0
    }
}
