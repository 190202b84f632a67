use std::{fs::File, path::Path, sync::Arc};

use super::{error::MediaError, ffmpeg::Ffmpeg, wav};

#[derive(Clone, Debug)]
pub(crate) struct Tools {
    /// The ffmpeg of this machine, or a sentence on why there is none.
    pub(crate) ffmpeg: Result<Ffmpeg, Arc<str>>,
    /// Mixed into the seed of drawings whose request names none.
    pub(crate) seed: u64,
    /// True if the length of references is measured. Placeholders skip this, as it needs ffmpeg.
    pub(crate) measures: bool,
}

impl Tools {
    pub(crate) fn ffmpeg(&self) -> Result<&Ffmpeg, MediaError> {
        self.ffmpeg
            .as_ref()
            .map_err(|missing| MediaError::new(&**missing))
    }

    /// Measures an audio file or a video with ffmpeg, in tenths of a second. Without ffmpeg, reads
    /// the header of a WAV or MP4 file. Returns `None` if neither is possible.
    pub(crate) fn seconds(&self, file: &Path) -> Option<f64> {
        let video =
            || mediagate_clip::seconds(File::open(file).ok()?).filter(|seconds| *seconds > 0.0);
        match &self.ffmpeg {
            Ok(ffmpeg) => ffmpeg.seconds(file),
            Err(_) => wav::seconds(file).or_else(video),
        }
    }
}
