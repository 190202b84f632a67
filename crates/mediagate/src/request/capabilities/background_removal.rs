//! `background_removal`. Written from the catalogue by `cargo xtask generate`; edits are lost.

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::reference::FileInput;
use crate::request::{Capability, Input, Region};

/// Makes the background of a picture transparent.
///
/// It is `process/image/background_removal` of §4.3 of the upstream document, for `Client::background_removal`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BackgroundRemoval(Input);

impl BackgroundRemoval {
    /// A request with the fields that it must have:
    ///
    /// - `file_id`: The picture. A file with an image, which is uploaded first, the id of an uploaded one, or a task or an output.
    #[must_use]
    pub fn new(file_id: impl Into<FileInput>) -> Self {
        Self(Input::new().file("file_id", file_id))
    }

    /// The rectangle to work on, in pixels from the top left corner; left out, the whole picture.
    #[must_use]
    pub fn region(self, region: Region) -> Self {
        Self(self.0.with("region", region))
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

impl Capability for BackgroundRemoval {
    const NAME: &'static str = "background_removal";

    fn into_input(self) -> Input {
        self.0
    }
}
