//! `mv_director`. Written from the catalogue by `cargo xtask generate`; edits are lost.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use crate::reference::FileInput;
use crate::request::{Capability, Input};

/// Directs a music video from one track and one portrait.
///
/// The request of `generate/video/mv_director` (§4.2 of the upstream document), for
/// `Client::mv_director`.
#[derive(Clone, Serialize, Deserialize)]
#[must_use]
pub struct MvDirector {
    /// The portrait of the artist.
    /// Takes an image.
    pub prompt_image_file_id: FileInput,
    /// The track.
    /// Takes a sound.
    pub prompt_audio_file_id: FileInput,
    /// The character for the shot designer; left out, the media service describes a moody cinematic
    /// night drive.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub persona: Option<String>,
    /// The model to use; left out, the media service uses its default.
    /// The default is `"mv-director-default"`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_id: Option<String>,
    /// A title for the task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Fields that have no member here, such as those of a newer gateway.
    #[serde(flatten)]
    pub more: Map<String, Json>,
}

impl MvDirector {
    /// Makes a request with the required fields.
    pub fn new(
        prompt_image_file_id: impl Into<FileInput>,
        prompt_audio_file_id: impl Into<FileInput>,
    ) -> Self {
        Self {
            prompt_image_file_id: prompt_image_file_id.into(),
            prompt_audio_file_id: prompt_audio_file_id.into(),
            persona: None,
            model_id: None,
            title: None,
            more: Map::new(),
        }
    }

    /// Sets `persona`.
    pub fn persona(mut self, persona: impl Into<String>) -> Self {
        self.persona = Some(persona.into());
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

impl Capability for MvDirector {
    const NAME: &'static str = "mv_director";

    fn into_input(self) -> Input {
        Input::from(Json::Object(self.more))
            .member("prompt_image_file_id", self.prompt_image_file_id)
            .member("prompt_audio_file_id", self.prompt_audio_file_id)
            .member("persona", self.persona)
            .member("model_id", self.model_id)
            .member("title", self.title)
    }
}

/// Prints only the names of the fields, because prompts are private.
impl fmt::Debug for MvDirector {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.clone().into_input().debug_as("MvDirector", formatter)
    }
}
