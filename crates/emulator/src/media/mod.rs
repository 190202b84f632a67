//! What is really done to media: documents, WAV sounds and pictures in Rust, other sounds and videos with ffmpeg.
//!
//! Everything here is synchronous, takes bytes or files that anyone may have sent, and fails with a [`Failure`].

pub(crate) mod background;
pub(crate) mod ffmpeg;
pub(crate) mod film;
pub(crate) mod head;
pub(crate) mod logo;
pub(crate) mod pdf;
pub(crate) mod picture;
pub(crate) mod poster;
pub(crate) mod shot;
pub(crate) mod video;
pub(crate) mod wav;

use std::time::Duration;

/// A rectangle in pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Region {
    pub(crate) x: u32,
    pub(crate) y: u32,
    pub(crate) width: u32,
    pub(crate) height: u32,
}

/// Why a job failed: one sentence that the task shows as its error.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Failure(String);

impl Failure {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Failure(message.into())
    }

    pub(crate) fn too_long(limit: Duration) -> Self {
        Failure(format!("the media took longer than {} s to process", limit.as_secs_f64()))
    }
}

impl From<mediagate_clip::ClipError> for Failure {
    fn from(error: mediagate_clip::ClipError) -> Self {
        Failure::new(error.to_string())
    }
}
