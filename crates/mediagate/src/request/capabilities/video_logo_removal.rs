//! `video_logo_removal`. Written from the catalogue by `cargo xtask generate`; edits are lost.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use crate::reference::{FileInput, one_or_many};
use crate::request::{Capability, Input, VideoSize};

/// Removes a logo from a video.
///
/// The request of `process/video/video_logo_removal` (§4.3 of the upstream document), for
/// `Client::video_logo_removal`.
#[derive(Clone, Serialize, Deserialize)]
#[must_use]
pub struct VideoLogoRemoval {
    /// The video.
    /// Takes a video.
    pub input_video_file_id: FileInput,
    /// Pictures of the logo, for its mask: one id or a list.
    /// Takes images.
    /// A single file is a list of one.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "one_or_many"
    )]
    pub logo_file_id: Option<Vec<FileInput>>,
    /// The original size of the video, as a hint.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub video_size: Option<VideoSize>,
    /// The motion of the logo: `default`, or one of nine modes named after a platform.
    /// Known values: `default`; a model may accept others.
    /// The default is `"default"`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub logo_type: Option<String>,
    /// The model to use; left out, the media service uses its default.
    /// The default is `"video-logo-removal-default"`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_id: Option<String>,
    /// A title for the task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Fields that have no member here, such as those of a newer gateway.
    #[serde(flatten)]
    pub more: Map<String, Json>,
}

impl VideoLogoRemoval {
    /// Makes a request with the required fields.
    pub fn new(input_video_file_id: impl Into<FileInput>) -> Self {
        Self {
            input_video_file_id: input_video_file_id.into(),
            logo_file_id: None,
            video_size: None,
            logo_type: None,
            model_id: None,
            title: None,
            more: Map::new(),
        }
    }

    /// Sets `logo_file_id`.
    pub fn logo_file_id(
        mut self,
        logo_file_id: impl IntoIterator<Item = impl Into<FileInput>>,
    ) -> Self {
        self.logo_file_id = Some(logo_file_id.into_iter().map(Into::into).collect());
        self
    }

    /// Sets `video_size`.
    pub fn video_size(mut self, video_size: VideoSize) -> Self {
        self.video_size = Some(video_size);
        self
    }

    /// Sets `logo_type`.
    pub fn logo_type(mut self, logo_type: impl Into<String>) -> Self {
        self.logo_type = Some(logo_type.into());
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

impl Capability for VideoLogoRemoval {
    const NAME: &'static str = "video_logo_removal";

    fn into_input(self) -> Input {
        Input::from(Json::Object(self.more))
            .member("input_video_file_id", self.input_video_file_id)
            .member("logo_file_id", self.logo_file_id)
            .member("video_size", self.video_size)
            .member("logo_type", self.logo_type)
            .member("model_id", self.model_id)
            .member("title", self.title)
    }
}

/// Prints only the names of the fields, because prompts are private.
impl fmt::Debug for VideoLogoRemoval {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.clone()
            .into_input()
            .debug_as("VideoLogoRemoval", formatter)
    }
}
