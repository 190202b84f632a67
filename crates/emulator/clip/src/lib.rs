//! Encodes drawn frames as a short AV1 video in MP4, in pure Rust, so that every machine can make one and every browser
//! can play it. Also reads the length of an MP4 video.

mod clip;
mod duration;
mod error;
mod mp4;

pub use clip::Clip;
pub use duration::seconds;
pub use error::ClipError;
