use std::{path::PathBuf, time::Duration};

use mediagate_clip::ClipError;

/// The reason of a failed task: one sentence, which the task has as `error.message`. A test can
/// compare with it. The only path of this machine in a message is the path of the configured
/// ffmpeg.
///
/// A damaged file may have a different reason with another version of ffmpeg.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MediaError {
    /// An image whose bytes cannot be decoded.
    #[error("the picture is damaged or cut off")]
    DamagedPicture,
    /// WAV audio whose samples cannot be read.
    #[error("the WAV sound is damaged or cut off")]
    DamagedSound,
    /// A PDF document that cannot be parsed.
    #[error("the file is not a readable PDF document")]
    UnreadableDocument,
    /// A PDF document that is encrypted.
    #[error("the PDF document is protected by a password; remove it first")]
    LockedDocument,
    /// A page of `page_range`, and the number of pages.
    #[error("page {0} is past the end; pages in the document: {1}")]
    PagePastEnd(u32, usize),
    /// A video or audio whose end is missing.
    #[error("the media is cut off: its end is missing")]
    CutOff,
    /// A video or audio whose bytes cannot be decoded.
    #[error("the media is damaged or cut off")]
    Damaged,
    /// A file that is no video or audio, or that is too damaged to be recognised.
    #[error("the media is damaged, or not what its name says")]
    Unrecognized,
    /// A video without its index. The index is often at the end of a file, and lost with it.
    #[error("the video is cut off or no video: it has no index")]
    MissingIndex,
    /// A file without the picture or the sound that the operation needs.
    #[error("the media is damaged, or has no picture or no sound where one is needed")]
    MissingStream,
    /// A segment past the end of the video: the end of the segment, and the length of the video,
    /// both in seconds.
    #[error("the segment until {0} s is past the end of the video, which lasts {1:.1} s")]
    SegmentPastEnd(u32, f64),
    /// A region outside of the video: the width and the height of the video, in pixels.
    #[error("the region is outside the video, which is {0}x{1}")]
    RegionOutside(u32, u32),
    /// No frame that was searched contains the logo.
    #[error("the logo was not found in the video; give its picture in the size it has there")]
    LogoNotFound,
    /// Work that exceeded this limit (`--job-seconds`).
    #[error(
        "the media took longer than {} s to process, or its processing stood still for as long",
        .0.as_secs_f64()
    )]
    Timeout(Duration),
    /// A result that exceeds this many bytes (`--max-output-bytes`).
    #[error("the result is larger than {0} bytes")]
    TooLarge(u64),
    /// The ffmpeg that `--ffmpeg` names does not exist.
    #[error("there is no program at {}, the ffmpeg that was set", .0.display())]
    MissingProgram(PathBuf),
    /// An ffmpeg without an encoder or a filter that the work needs.
    #[error(
        "the ffmpeg in use lacks what this takes, such as libx264; \
         name another with --ffmpeg or MEDIAGATE_FFMPEG"
    )]
    MissingFeature,
    /// A bug of the emulator: the work panicked.
    #[error("the media could not be processed")]
    Panicked,
    /// Another reason in the request or in one of its files.
    #[error("{0}")]
    OfInput(String),
    /// Any other reason.
    #[error("{0}")]
    Other(String),
}

impl MediaError {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        MediaError::Other(message.into())
    }

    /// Returns a reason in the request or in one of its files.
    pub(crate) fn of_input(message: impl Into<String>) -> Self {
        MediaError::OfInput(message.into())
    }

    /// Returns true if the reason is in the request or in one of its files, so that the same
    /// request fails again.
    pub(crate) fn is_of_input(&self) -> bool {
        !matches!(
            self,
            MediaError::Timeout(_)
                | MediaError::TooLarge(_)
                | MediaError::MissingProgram(_)
                | MediaError::MissingFeature
                | MediaError::Panicked
                | MediaError::Other(_)
        )
    }
}

impl From<ClipError> for MediaError {
    fn from(error: ClipError) -> Self {
        MediaError::new(error.to_string())
    }
}
