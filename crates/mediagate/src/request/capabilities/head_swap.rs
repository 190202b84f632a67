//! `head_swap`. Written from the catalogue by `cargo xtask generate`; edits are lost.

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::reference::FileInput;
use crate::request::{Capability, Input};

/// Puts the head of one picture on the body of another.
///
/// It is `process/image/head_swap` of §4.3 of the upstream document, for `Client::head_swap`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct HeadSwap(Input);

impl HeadSwap {
    /// A request with the fields that it must have:
    ///
    /// - `source_image_file_id`: The picture whose head is taken. A file with an image, which is uploaded first, the id of an uploaded one, or a task or an output.
    /// - `target_head_image_file_id`: The picture whose head is replaced; its body and scene stay. A file with an image, which is uploaded first, the id of an uploaded one, or a task or an output.
    #[must_use]
    pub fn new(
        source_image_file_id: impl Into<FileInput>,
        target_head_image_file_id: impl Into<FileInput>,
    ) -> Self {
        Self(
            Input::new()
                .file("source_image_file_id", source_image_file_id)
                .file("target_head_image_file_id", target_head_image_file_id),
        )
    }

    /// The model to use; left out, the media service uses its default.
    /// The default is `"image-head-swap-default"`.
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

impl Capability for HeadSwap {
    const NAME: &'static str = "head_swap";

    fn into_input(self) -> Input {
        self.0
    }
}
