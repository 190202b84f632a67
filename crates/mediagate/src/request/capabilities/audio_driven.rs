//! `audio_driven`. Written from the catalogue by `cargo xtask generate`; edits are lost.

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::reference::{AssetInput, FileInput};
use crate::request::{Capability, Input};

/// Makes a lip-synced video of an avatar from uploaded audio.
///
/// It is `generate/video/audio_driven` of §4.2 of the upstream document, for `Client::audio_driven`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct AudioDriven(Input);

impl AudioDriven {
    /// A request with the fields that it must have:
    ///
    /// - `avatar_asset_id`: The avatar who speaks: one of your own, or an official public one. Takes the id of an avatar asset, or a result that is one.
    /// - `audio_file_id`: What the avatar says: an uploaded sound. A file with a sound, which is uploaded first, the id of an uploaded one, or a task or an output.
    #[must_use]
    pub fn new(
        avatar_asset_id: impl Into<AssetInput>,
        audio_file_id: impl Into<FileInput>,
    ) -> Self {
        Self(
            Input::new()
                .asset("avatar_asset_id", avatar_asset_id)
                .file("audio_file_id", audio_file_id),
        )
    }

    /// Shape of the picture, such as 16:9 or 9:16.
    /// Known values: `16:9`, `9:16`; a model may accept others.
    #[must_use]
    pub fn aspect_ratio(self, aspect_ratio: impl Into<String>) -> Self {
        Self(self.0.with("aspect_ratio", aspect_ratio.into()))
    }

    /// Resolution label.
    /// Known values: `1080P`, `2K`; a model may accept others.
    #[must_use]
    pub fn clarity(self, clarity: impl Into<String>) -> Self {
        Self(self.0.with("clarity", clarity.into()))
    }

    /// Length of the video in seconds.
    #[must_use]
    pub fn duration_seconds(self, duration_seconds: u32) -> Self {
        Self(self.0.with("duration_seconds", duration_seconds))
    }

    /// Reference links.
    #[must_use]
    pub fn links(self, links: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self(self.0.with(
            "links",
            links.into_iter().map(Into::into).collect::<Vec<String>>(),
        ))
    }

    /// Model label or version; `model_id` is what selects the model.
    #[must_use]
    pub fn model(self, model: impl Into<String>) -> Self {
        Self(self.0.with("model", model.into()))
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

impl Capability for AudioDriven {
    const NAME: &'static str = "audio_driven";

    fn into_input(self) -> Input {
        self.0
    }
}
