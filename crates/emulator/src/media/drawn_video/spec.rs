use image::DynamicImage;

/// A video to draw. `encode` uses ffmpeg. `encode_small` is pure Rust, and its video is small and
/// silent.
pub(crate) struct DrawnVideo {
    /// The images to show, each for an equal part of the video. If there are none, a landscape is
    /// shown.
    pub(crate) stills: Vec<DynamicImage>,
    /// The aspect ratio, width before height, such as `(16, 9)`.
    pub(crate) aspect: (u32, u32),
    pub(crate) seconds: u32,
    /// A number that chooses the landscape, together with the prompt.
    pub(crate) seed: u64,
    pub(crate) prompt: String,
    /// The id of the avatar who speaks, unless there are `stills`.
    pub(crate) avatar: Option<String>,
    /// The text over the bottom of the video.
    pub(crate) caption: String,
}

impl DrawnVideo {
    pub(super) fn speaker(&self) -> Option<&str> {
        self.avatar.as_deref().filter(|_| self.stills.is_empty())
    }
}
