//! What processing needs beside its input.

use std::{fs::File, path::Path, sync::Arc};

use super::{error::MediaError, ffmpeg::Ffmpeg, wav};

/// The tools of this machine, and the seed of drawings.
#[derive(Clone, Debug)]
pub(crate) struct Tools {
    /// The ffmpeg of this machine, or a sentence on why there is none.
    pub(crate) ffmpeg: Result<Ffmpeg, Arc<str>>,
    /// Mixed into the seed of drawings whose request names none.
    pub(crate) seed: u64,
    /// Whether the length of references is measured.
    pub(crate) measures: bool,
}

impl Tools {
    /// The ffmpeg, for work that needs it.
    ///
    /// # Errors
    /// Why there is none.
    pub(crate) fn ffmpeg(&self) -> Result<&Ffmpeg, MediaError> {
        self.ffmpeg
            .as_ref()
            .map_err(|missing| MediaError::new(&**missing))
    }

    /// The length of an audio file or a video in seconds: measured with ffmpeg in tenths, or else read from the
    /// header of a WAV or MP4 file. `None` where it cannot be measured.
    pub(crate) fn seconds(&self, file: &Path) -> Option<f64> {
        let video = || mediagate_clip::seconds(File::open(file).ok()?).filter(|it| *it > 0.0);
        match &self.ffmpeg {
            Ok(ffmpeg) => ffmpeg.seconds(file),
            Err(_) => wav::seconds(file).or_else(video),
        }
    }
}
