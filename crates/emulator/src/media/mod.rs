//! Media processing: documents, WAV audio and images in Rust, other audio and videos with ffmpeg.
//!
//! All functions are synchronous, treat their input as untrusted, and fail with a [`MediaError`].

pub(crate) mod background;
mod canvas;
mod colour;
mod drawn_video;
mod error;
mod ffmpeg;
pub(crate) mod head;
pub(crate) mod label;
mod lettering;
pub(crate) mod logo;
mod pages;
pub(crate) mod pdf;
pub(crate) mod picture;
pub(crate) mod portrait;
mod region;
mod scene;
mod tools;
mod video;
pub(crate) mod wav;

pub(crate) use drawn_video::DrawnVideo;
pub use error::MediaError;
pub(crate) use ffmpeg::{Ffmpeg, FfmpegLimits};
pub(crate) use region::Region;
pub(crate) use scene::Scene;
pub(crate) use tools::Tools;
pub(crate) use video::{Patch, Video};
