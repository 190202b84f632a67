//! `subtitle_removal`. Written from the catalogue by `cargo xtask generate`; edits are lost.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use crate::reference::FileInput;
use crate::request::{Capability, Input, Region};

/// Removes burnt-in subtitles from a video.
///
/// The request of `process/video/subtitle_removal` (§4.3 of the upstream document), for
/// `Client::subtitle_removal`.
#[derive(Clone, Serialize, Deserialize)]
#[must_use]
pub struct SubtitleRemoval {
    /// The video.
    /// Takes a video.
    pub file_id: FileInput,
    /// The rectangle to work on: its top left corner and its size, in pixels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region: Option<Region>,
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

impl SubtitleRemoval {
    /// Makes a request with the required fields.
    pub fn new(file_id: impl Into<FileInput>) -> Self {
        Self {
            file_id: file_id.into(),
            region: None,
            model_id: None,
            title: None,
            more: Map::new(),
        }
    }

    /// Sets `region`.
    pub fn region(mut self, region: Region) -> Self {
        self.region = Some(region);
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

impl Capability for SubtitleRemoval {
    const NAME: &'static str = "subtitle_removal";

    fn into_input(self) -> Input {
        Input::from(Json::Object(self.more))
            .member("file_id", self.file_id)
            .member("region", self.region)
            .member("model_id", self.model_id)
            .member("title", self.title)
    }
}

/// Prints only the names of the fields, because prompts are private.
impl fmt::Debug for SubtitleRemoval {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.clone()
            .into_input()
            .debug_as("SubtitleRemoval", formatter)
    }
}
