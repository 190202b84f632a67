//! `split_video`. Written from the catalogue by `cargo xtask generate`; edits are lost.

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::reference::FileInput;
use crate::request::{Capability, Input, Segment};

/// Cuts parts out of a video.
///
/// It is `process/video/split_video` of §4.3 of the upstream document, for `Client::split_video`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SplitVideo(Input);

impl SplitVideo {
    /// A request with the fields that it must have:
    ///
    /// - `input_file_id`: The video. A file with a video, which is uploaded first, the id of an uploaded one, or a task or an output.
    /// - `segments`: The parts to keep, each from `start_time` to `end_time` as HH:MM:SS.
    #[must_use]
    pub fn new(
        input_file_id: impl Into<FileInput>,
        segments: impl IntoIterator<Item = Segment>,
    ) -> Self {
        Self(
            Input::new()
                .file("input_file_id", input_file_id)
                .with("segments", segments.into_iter().collect::<Vec<_>>()),
        )
    }

    /// The model to use; left out, the media service uses its default.
    /// The default is `"split-video-default"`.
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

impl Capability for SplitVideo {
    const NAME: &'static str = "split_video";

    fn into_input(self) -> Input {
        self.0
    }
}
