mod deadline;
mod diagnostics;
mod length;
mod locate;
mod program;

pub(crate) use program::{Ffmpeg, FfmpegLimits, Input};
