use std::path::Path;

use image::{DynamicImage, ImageFormat, RgbaImage};

use super::{
    error::MediaError,
    ffmpeg::{Ffmpeg, Input},
    picture,
    region::Region,
};

/// Options for output that every browser plays: H.264 and AAC, with the index at the front.
const PLAYABLE: &str =
    "-c:v libx264 -preset veryfast -pix_fmt yuv420p -movflags +faststart -c:a aac";

/// A filter that pads odd sides by one black line, as H.264 needs even sides.
const PAD_FILTER: &str = "pad=ceil(iw/2)*2:ceil(ih/2)*2";

/// The distance in pixels that the filter `delogo` needs between a rectangle and the edge of the
/// frame, as it fills the rectangle from the pixels around it. Each side of the rectangle must be
/// longer than this.
const EDGE: u32 = 1;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Patch {
    pub(crate) region: Region,
    /// Start and end in seconds. `None` is the whole video.
    pub(crate) during: Option<(f64, f64)>,
}

/// A video file, and the ffmpeg that processes it. Unless documented otherwise, an operation
/// returns the bytes of an MP4 file.
pub(crate) struct Video<'a> {
    pub(crate) path: &'a Path,
    pub(crate) ffmpeg: &'a Ffmpeg,
}

impl Video<'_> {
    /// Cuts the segment between two times in seconds.
    pub(crate) fn segment(&self, start: u32, end: u32) -> Result<Vec<u8>, MediaError> {
        // After the input, these options decode up to the start: slower, but exact to the frame.
        self.encoded(&format!("-vf {PAD_FILTER} -ss {start} -to {end}"))
    }

    /// Scales the video to this size in pixels. The aspect ratio may change.
    pub(crate) fn resized(&self, width: u32, height: u32) -> Result<Vec<u8>, MediaError> {
        self.encoded(&format!("-vf scale={width}:{height},setsar=1"))
    }

    /// Replaces the audio track. Shorter audio is padded with silence, so that the video keeps its
    /// length.
    pub(crate) fn with_audio(&self, audio: &Path) -> Result<Vec<u8>, MediaError> {
        let options =
            format!("-map 0:v:0 -map 1:a:0 -vf {PAD_FILTER} -af apad -shortest {PLAYABLE}");
        self.ffmpeg
            .convert(&[self.path.into(), audio.into()], &options, "mp4")
    }

    pub(crate) fn patched(&self, patches: &[Patch]) -> Result<Vec<u8>, MediaError> {
        let filters: Vec<String> = patches.iter().map(Patch::filter).collect();
        self.encoded(&format!("-vf {},{PAD_FILTER}", filters.join(",")))
    }

    /// Draws an image over the upper left corner of the video.
    pub(crate) fn with_label(&self, label: &RgbaImage) -> Result<Vec<u8>, MediaError> {
        let directory = self.ffmpeg.workspace()?;
        let file = directory.path().join("label.png");
        label
            .save_with_format(&file, ImageFormat::Png)
            .map_err(|_| MediaError::new("there is no room for temporary files"))?;
        let options = format!(
            "-filter_complex [0:v][1:v]overlay=0:0,{PAD_FILTER}[out] \
             -map [out] -map 0:a? {PLAYABLE}"
        );
        let inputs = [self.path.into(), file.as_path().into()];
        self.ffmpeg.convert(&inputs, &options, "mp4")
    }

    /// Decodes the frame at a time in seconds, rotated as players show it. Fails if there is no
    /// frame.
    pub(crate) fn frame(&self, at: f64) -> Result<DynamicImage, MediaError> {
        let input = Input {
            path: self.path,
            options: &format!("-ss {at:.3}"),
        };
        let options = "-map 0:v:0 -frames:v 1";
        let bytes = self.ffmpeg.convert(&[input], options, "bmp")?;
        picture::decode(&bytes)
    }

    fn encoded(&self, options: &str) -> Result<Vec<u8>, MediaError> {
        // `?` accepts a video without audio.
        let options = format!("-map 0:v:0 -map 0:a? {options} {PLAYABLE}");
        self.ffmpeg.convert(&[self.path.into()], &options, "mp4")
    }
}

impl Patch {
    /// Returns the part of a rectangle that can be filled in a frame of this size, for the whole
    /// video. `None` if no part can.
    pub(crate) fn within(region: Region, width: u32, height: u32) -> Option<Self> {
        let clipped = |start: u32, length: u32, frame: u32| {
            let end = start.saturating_add(length).min(frame.saturating_sub(EDGE));
            let start = start.max(EDGE);
            let length = end.checked_sub(start)?;
            (length > EDGE).then_some((start, length))
        };
        let (x, width) = clipped(region.x, region.width, width)?;
        let (y, height) = clipped(region.y, region.height, height)?;
        Some(Patch {
            region: Region::new(x, y, width, height),
            during: None,
        })
    }

    fn filter(&self) -> String {
        let Region {
            x,
            y,
            width,
            height,
        } = self.region;
        let during = self
            .during
            .map(|(from, until)| format!(":enable='between(t,{from:.3},{until:.3})'"));
        format!(
            "delogo=x={x}:y={y}:w={width}:h={height}{}",
            during.unwrap_or_default()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patch_stays_inside_the_frame() {
        let within = |x, y, width, height| {
            Patch::within(Region::new(x, y, width, height), 100, 80).map(|patch| patch.region)
        };
        for (region, expected) in [
            ((10, 10, 20, 20), (10, 10, 20, 20)),
            ((0, 60, 100, 20), (1, 60, 98, 19)),
            ((90, 70, u32::MAX, u32::MAX), (90, 70, 9, 9)),
        ] {
            let (x, y, width, height) = region;
            let (left, top, wide, high) = expected;
            let expected = Some(Region::new(left, top, wide, high));
            assert_eq!(within(x, y, width, height), expected);
        }
        for (x, y) in [(100, 0), (0, 80), (99, 0), (u32::MAX, u32::MAX)] {
            assert_eq!(within(x, y, 10, 10), None, "{x}, {y}");
        }
    }
}
