//! `video_logo_removal`. Written from the catalogue by `cargo xtask generate`; edits are lost.

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::reference::FileInput;
use crate::request::{Capability, Input, VideoSize};

/// Removes a logo from a video.
///
/// It is `process/video/video_logo_removal` of §4.3 of the upstream document, for `Client::video_logo_removal`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct VideoLogoRemoval(Input);

impl VideoLogoRemoval {
    /// A request with the fields that it must have:
    ///
    /// - `input_video_file_id`: The video. A file with a video, which is uploaded first, the id of an uploaded one, or a task or an output.
    #[must_use]
    pub fn new(input_video_file_id: impl Into<FileInput>) -> Self {
        Self(Input::new().file("input_video_file_id", input_video_file_id))
    }

    /// Pictures of the logo, from which its mask is made: one id or a list.
    /// Files with an image each, which are uploaded first, ids of uploaded ones, or tasks or outputs.
    /// A list here, also of one.
    #[must_use]
    pub fn logo_file_id(
        self,
        logo_file_id: impl IntoIterator<Item = impl Into<FileInput>>,
    ) -> Self {
        Self(self.0.files("logo_file_id", logo_file_id))
    }

    /// The original size of the video, as a hint.
    #[must_use]
    pub fn video_size(self, video_size: VideoSize) -> Self {
        Self(self.0.with("video_size", video_size))
    }

    /// How the logo moves: `default`, or one of nine modes named after a platform.
    /// Known values: `default`; a model may accept others.
    /// The default is `"default"`.
    #[must_use]
    pub fn logo_type(self, logo_type: impl Into<String>) -> Self {
        Self(self.0.with("logo_type", logo_type.into()))
    }

    /// The model to use; left out, the media service uses its default.
    /// The default is `"video-logo-removal-default"`.
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

impl Capability for VideoLogoRemoval {
    const NAME: &'static str = "video_logo_removal";

    fn into_input(self) -> Input {
        self.0
    }
}
