//! `omni_reference_to_video`. Written from the catalogue by `cargo xtask generate`; edits are lost.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use crate::reference::FileInput;
use crate::request::{Capability, Input};

/// Makes a video from a prompt and reference images, videos or audio, at least one of them.
///
/// At least one of `image_file_ids`, `video_file_ids`, `audio_file_ids` is needed.
///
/// The request of `generate/video/omni_reference_to_video` (§4.2 of the upstream document), for
/// `Client::omni_reference_to_video`.
#[derive(Clone, Serialize, Deserialize)]
#[must_use]
pub struct OmniReferenceToVideo {
    /// The action in the video.
    pub prompt: String,
    /// Reference images.
    /// Takes images.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub image_file_ids: Option<Vec<FileInput>>,
    /// Reference videos; one model takes none, another at most 15 seconds of video and audio
    /// together.
    /// Takes videos.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub video_file_ids: Option<Vec<FileInput>>,
    /// Reference audio, limited together with `video_file_ids`.
    /// Takes sounds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub audio_file_ids: Option<Vec<FileInput>>,
    /// Shape of the picture, such as 16:9 or 9:16.
    /// Known values: `16:9`, `9:16`; a model may accept others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aspect_ratio: Option<String>,
    /// Resolution label.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clarity: Option<String>,
    /// Length of the video in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_seconds: Option<i32>,
    /// The model to use; left out, the media service uses its default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_id: Option<String>,
    /// A title for the task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Fields that have no member here, such as those of a newer gateway.
    #[serde(flatten)]
    pub more: Map<String, Json>,
}

impl OmniReferenceToVideo {
    /// Makes a request with the required fields.
    pub fn new(prompt: impl Into<String>) -> Self {
        Self {
            prompt: prompt.into(),
            image_file_ids: None,
            video_file_ids: None,
            audio_file_ids: None,
            aspect_ratio: None,
            clarity: None,
            duration_seconds: None,
            model_id: None,
            title: None,
            more: Map::new(),
        }
    }

    /// Sets `image_file_ids`.
    pub fn image_file_ids(
        mut self,
        image_file_ids: impl IntoIterator<Item = impl Into<FileInput>>,
    ) -> Self {
        self.image_file_ids = Some(image_file_ids.into_iter().map(Into::into).collect());
        self
    }

    /// Sets `video_file_ids`.
    pub fn video_file_ids(
        mut self,
        video_file_ids: impl IntoIterator<Item = impl Into<FileInput>>,
    ) -> Self {
        self.video_file_ids = Some(video_file_ids.into_iter().map(Into::into).collect());
        self
    }

    /// Sets `audio_file_ids`.
    pub fn audio_file_ids(
        mut self,
        audio_file_ids: impl IntoIterator<Item = impl Into<FileInput>>,
    ) -> Self {
        self.audio_file_ids = Some(audio_file_ids.into_iter().map(Into::into).collect());
        self
    }

    /// Sets `aspect_ratio`.
    pub fn aspect_ratio(mut self, aspect_ratio: impl Into<String>) -> Self {
        self.aspect_ratio = Some(aspect_ratio.into());
        self
    }

    /// Sets `clarity`.
    pub fn clarity(mut self, clarity: impl Into<String>) -> Self {
        self.clarity = Some(clarity.into());
        self
    }

    /// Sets `duration_seconds`.
    pub fn duration_seconds(mut self, duration_seconds: i32) -> Self {
        self.duration_seconds = Some(duration_seconds);
        self
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

impl Capability for OmniReferenceToVideo {
    const NAME: &'static str = "omni_reference_to_video";

    fn into_input(self) -> Input {
        Input::from(Json::Object(self.more))
            .member("prompt", self.prompt)
            .member("image_file_ids", self.image_file_ids)
            .member("video_file_ids", self.video_file_ids)
            .member("audio_file_ids", self.audio_file_ids)
            .member("aspect_ratio", self.aspect_ratio)
            .member("clarity", self.clarity)
            .member("duration_seconds", self.duration_seconds)
            .member("model_id", self.model_id)
            .member("title", self.title)
    }
}

/// Prints only the names of the fields, because prompts are private.
impl fmt::Debug for OmniReferenceToVideo {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.clone()
            .into_input()
            .debug_as("OmniReferenceToVideo", formatter)
    }
}
