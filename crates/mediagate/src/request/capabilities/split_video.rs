//! `split_video`. Written from the catalogue by `cargo xtask generate`; edits are lost.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use crate::reference::FileInput;
use crate::request::{Capability, Input, Segment};

/// Cuts parts out of a video.
///
/// The request of `process/video/split_video` (§4.3 of the upstream document), for
/// `Client::split_video`.
#[derive(Clone, Serialize, Deserialize)]
#[must_use]
pub struct SplitVideo {
    /// The video.
    /// Takes a video.
    pub input_file_id: FileInput,
    /// The parts to keep, each from `start_time` to `end_time` as HH:MM:SS.
    /// The default is `[{"start_time":"00:00:00","end_time":"00:00:05"}]`.
    pub segments: Vec<Segment>,
    /// The model to use; left out, the media service uses its default.
    /// The default is `"split-video-default"`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_id: Option<String>,
    /// A title for the task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Fields that have no member here, such as those of a newer gateway.
    #[serde(flatten)]
    pub more: Map<String, Json>,
}

impl SplitVideo {
    /// Makes a request with the required fields.
    pub fn new(
        input_file_id: impl Into<FileInput>,
        segments: impl IntoIterator<Item = Segment>,
    ) -> Self {
        Self {
            input_file_id: input_file_id.into(),
            segments: segments.into_iter().collect(),
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

impl Capability for SplitVideo {
    const NAME: &'static str = "split_video";

    fn into_input(self) -> Input {
        Input::from(Json::Object(self.more))
            .member("input_file_id", self.input_file_id)
            .member("segments", self.segments)
            .member("model_id", self.model_id)
            .member("title", self.title)
    }
}

/// Prints only the names of the fields, because prompts are private.
impl fmt::Debug for SplitVideo {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.clone().into_input().debug_as("SplitVideo", formatter)
    }
}
