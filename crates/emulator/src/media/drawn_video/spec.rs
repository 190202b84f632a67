//! What to draw.

use image::DynamicImage;

/// A video to draw. `encode_small` draws it in pure Rust, small and silent; `encode` uses ffmpeg.
pub(crate) struct DrawnVideo {
    /// The images to show, each for an equal part of the video; a landscape where there are none.
    pub(crate) stills: Vec<DynamicImage>,
    /// Width to height, such as `(16, 9)`.
    pub(crate) aspect: (u32, u32),
    /// The length in seconds.
    pub(crate) seconds: u32,
    /// Chooses the landscape, with the prompt.
    pub(crate) seed: u64,
    pub(crate) prompt: String,
    /// Written over the bottom of the video.
    pub(crate) caption: String,
}
