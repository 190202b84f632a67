//! `object_removal_by_prompt`. Written from the catalogue by `cargo xtask generate`; edits are lost.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use crate::reference::FileInput;
use crate::request::{Capability, Input};

/// Removes an object, named in words, from a video.
///
/// The request of `process/video/object_removal_by_prompt` (§4.3 of the upstream document), for
/// `Client::object_removal_by_prompt`.
#[derive(Clone, Serialize, Deserialize)]
#[must_use]
pub struct ObjectRemovalByPrompt {
    /// The video.
    /// Takes a video.
    pub input_file_id: FileInput,
    /// The object to remove, in words.
    pub prompt_text: String,
    /// The model to use; left out, the media service uses its default.
    /// The default is `"remove-video-object-by-prompt-default"`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_id: Option<String>,
    /// A title for the task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Fields that have no member here, such as those of a newer gateway.
    #[serde(flatten)]
    pub more: Map<String, Json>,
}

impl ObjectRemovalByPrompt {
    /// Makes a request with the required fields.
    pub fn new(input_file_id: impl Into<FileInput>, prompt_text: impl Into<String>) -> Self {
        Self {
            input_file_id: input_file_id.into(),
            prompt_text: prompt_text.into(),
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

impl Capability for ObjectRemovalByPrompt {
    const NAME: &'static str = "object_removal_by_prompt";

    fn into_input(self) -> Input {
        Input::from(Json::Object(self.more))
            .member("input_file_id", self.input_file_id)
            .member("prompt_text", self.prompt_text)
            .member("model_id", self.model_id)
            .member("title", self.title)
    }
}

/// Prints only the names of the fields, because prompts are private.
impl fmt::Debug for ObjectRemovalByPrompt {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.clone()
            .into_input()
            .debug_as("ObjectRemovalByPrompt", formatter)
    }
}
