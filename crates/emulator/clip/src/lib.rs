//! Encodes drawn frames as a short AV1 video in MP4. The encoder is pure Rust, so every machine can
//! make such a video, and every browser can play it. Also reads the length of an MP4 video.

mod clip;
mod duration;
mod error;
mod mp4;

pub use clip::Clip;
pub use duration::seconds;
pub use error::ClipError;
