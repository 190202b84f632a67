//! Why media could not be processed.

use std::time::Duration;

/// Why media could not be processed: one sentence, which the task shows as its error. It contains no path of this
/// machine except that of the configured ffmpeg.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct MediaError(String);

impl MediaError {
    /// An error with this message.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        MediaError(message.into())
    }

    /// The work took longer than `limit`.
    pub(crate) fn timeout(limit: Duration) -> Self {
        MediaError(format!("the media took longer than {} s to process", limit.as_secs_f64()))
    }
}

impl From<mediagate_clip::ClipError> for MediaError {
    fn from(error: mediagate_clip::ClipError) -> Self {
        MediaError::new(error.to_string())
    }
}
