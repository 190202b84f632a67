use image::DynamicImage;

/// A video to draw. `encode` uses ffmpeg. `encode_small` is pure Rust, and its video is small and
/// silent.
pub(crate) struct DrawnVideo {
    /// The images to show, each for an equal part of the video. If there are none, the scene of the
    /// prompt is shown.
    pub(crate) stills: Vec<DynamicImage>,
    /// The aspect ratio, width before height, such as `(16, 9)`.
    pub(crate) aspect: (u32, u32),
    pub(crate) seconds: u32,
    /// A number that chooses the scene, together with the prompt.
    pub(crate) seed: u64,
    pub(crate) prompt: String,
    /// The id of the avatar who speaks, unless there are `stills`.
    pub(crate) avatar: Option<String>,
}

impl DrawnVideo {
    /// Returns true if the prompt and the seed choose what is shown.
    pub(crate) fn is_of_scene(&self) -> bool {
        self.stills.is_empty() && self.avatar.is_none()
    }

    pub(super) fn speaker(&self) -> Option<&str> {
        self.avatar.as_deref().filter(|_| self.stills.is_empty())
    }
}
