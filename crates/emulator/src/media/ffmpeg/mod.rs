//! Runs ffmpeg.

mod diagnostics;
mod locate;
mod program;

pub(crate) use program::{Ffmpeg, FfmpegLimits, Input};
