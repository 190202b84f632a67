//! `audio_driven`. Written from the catalogue by `cargo xtask generate`; edits are lost.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use crate::reference::{AssetInput, FileInput};
use crate::request::{Capability, Input};

/// Makes a lip-synced video of an avatar from uploaded audio.
///
/// The request of `generate/video/audio_driven` (§4.2 of the upstream document), for
/// `Client::audio_driven`.
#[derive(Clone, Serialize, Deserialize)]
#[must_use]
pub struct AudioDriven {
    /// The avatar who speaks: one of your own, or an official public one.
    /// Takes the id of an avatar asset, or a result that is such an asset.
    pub avatar_asset_id: AssetInput,
    /// The speech of the avatar, as an uploaded sound.
    /// Takes a sound.
    pub audio_file_id: FileInput,
    /// Shape of the picture, such as 16:9 or 9:16.
    /// Known values: `16:9`, `9:16`; a model may accept others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aspect_ratio: Option<String>,
    /// Resolution label.
    /// Known values: `1080P`, `2K`; a model may accept others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clarity: Option<String>,
    /// Length of the video in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_seconds: Option<i32>,
    /// Reference links.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub links: Option<Vec<String>>,
    /// Model label or version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
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

impl AudioDriven {
    /// Makes a request with the required fields.
    pub fn new(
        avatar_asset_id: impl Into<AssetInput>,
        audio_file_id: impl Into<FileInput>,
    ) -> Self {
        Self {
            avatar_asset_id: avatar_asset_id.into(),
            audio_file_id: audio_file_id.into(),
            aspect_ratio: None,
            clarity: None,
            duration_seconds: None,
            links: None,
            model: None,
            model_id: None,
            title: None,
            more: Map::new(),
        }
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

    /// Sets `links`.
    pub fn links(mut self, links: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.links = Some(links.into_iter().map(Into::into).collect());
        self
    }

    /// Sets `model`.
    pub fn model(mut self, model: impl Into<String>) -> Self {
        self.model = Some(model.into());
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

impl Capability for AudioDriven {
    const NAME: &'static str = "audio_driven";

    fn into_input(self) -> Input {
        Input::from(Json::Object(self.more))
            .member("avatar_asset_id", self.avatar_asset_id)
            .member("audio_file_id", self.audio_file_id)
            .member("aspect_ratio", self.aspect_ratio)
            .member("clarity", self.clarity)
            .member("duration_seconds", self.duration_seconds)
            .member("links", self.links)
            .member("model", self.model)
            .member("model_id", self.model_id)
            .member("title", self.title)
    }
}

/// Prints only the names of the fields, because prompts are private.
impl fmt::Debug for AudioDriven {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.clone().into_input().debug_as("AudioDriven", formatter)
    }
}
