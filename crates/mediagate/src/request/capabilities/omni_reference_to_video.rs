//! `omni_reference_to_video`. Written from the catalogue by `cargo xtask generate`; edits are lost.

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::reference::FileInput;
use crate::request::{Capability, Input};

/// Makes a video from a prompt and reference images, videos or audio, at least one of them.
///
/// At least one of `image_file_ids`, `video_file_ids`, `audio_file_ids` is needed.
///
/// It is `generate/video/omni_reference_to_video` of §4.2 of the upstream document, for `Client::omni_reference_to_video`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct OmniReferenceToVideo(Input);

impl OmniReferenceToVideo {
    /// A request with the fields that it must have:
    ///
    /// - `prompt`: What happens in the video.
    #[must_use]
    pub fn new(prompt: impl Into<String>) -> Self {
        Self(Input::new().with("prompt", prompt.into()))
    }

    /// Reference images.
    /// Files with an image each, which are uploaded first, ids of uploaded ones, or tasks or outputs.
    #[must_use]
    pub fn image_file_ids(
        self,
        image_file_ids: impl IntoIterator<Item = impl Into<FileInput>>,
    ) -> Self {
        Self(self.0.files("image_file_ids", image_file_ids))
    }

    /// Reference videos; one model takes none, another at most 15 seconds of video and audio together.
    /// Files with a video each, which are uploaded first, ids of uploaded ones, or tasks or outputs.
    #[must_use]
    pub fn video_file_ids(
        self,
        video_file_ids: impl IntoIterator<Item = impl Into<FileInput>>,
    ) -> Self {
        Self(self.0.files("video_file_ids", video_file_ids))
    }

    /// Reference audio; see `video_file_ids`.
    /// Files with a sound each, which are uploaded first, ids of uploaded ones, or tasks or outputs.
    #[must_use]
    pub fn audio_file_ids(
        self,
        audio_file_ids: impl IntoIterator<Item = impl Into<FileInput>>,
    ) -> Self {
        Self(self.0.files("audio_file_ids", audio_file_ids))
    }

    /// Shape of the picture, such as 16:9 or 9:16.
    /// Known values: `16:9`, `9:16`; a model may accept others.
    #[must_use]
    pub fn aspect_ratio(self, aspect_ratio: impl Into<String>) -> Self {
        Self(self.0.with("aspect_ratio", aspect_ratio.into()))
    }

    /// Resolution label.
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

impl Capability for OmniReferenceToVideo {
    const NAME: &'static str = "omni_reference_to_video";

    fn into_input(self) -> Input {
        self.0
    }
}
