//! Draws a video with ffmpeg, in the requested size and with the audio of the request.

use std::path::{Path, PathBuf};

use image::DynamicImage;

use super::spec::DrawnVideo;
use crate::media::{
    error::MediaError,
    ffmpeg::{Ffmpeg, Input},
    landscape, picture, poster,
};

/// The number of pixels in all frames of a video together. Large or long videos have fewer frames a
/// second, so that each of them is encoded within seconds.
const MAX_TOTAL_PIXELS: u64 = 400_000_000;

/// The lowest and the highest frame rate, in frames a second.
const FRAME_RATES: (u64, u64) = (2, 12);

impl DrawnVideo {
    /// Encodes an MP4 file (H.264) of this size in pixels, with the audio of the file `audio`. Both
    /// sides must be even.
    ///
    /// # Errors
    /// A file that cannot be written, and every error of ffmpeg.
    pub(crate) fn encode(
        &self,
        ffmpeg: &Ffmpeg,
        (width, height): (u32, u32),
        audio: Option<&Path>,
    ) -> Result<Vec<u8>, MediaError> {
        let directory = ffmpeg.workspace()?;
        let mut files = self.write_stills(directory.path(), width, height)?;
        let stills = files.len();
        let banner = directory.path().join("banner.bmp");
        picture::save_bmp(
            &poster::banner(width, height, &self.caption)?.into(),
            &banner,
        )?;
        files.push(banner);
        let mut inputs: Vec<Input<'_>> = files.iter().map(|file| file.as_path().into()).collect();
        inputs.extend(audio.map(Input::from));

        let graph = self.filter_graph(stills, width, height);
        let seconds = self.seconds.to_string();
        let mut options = vec![
            "-filter_complex",
            &graph,
            "-map",
            "[out]",
            "-c:v",
            "libx264",
            "-preset",
            "ultrafast",
        ];
        let audio_stream = format!("{}:a:0", stills + 1);
        if audio.is_some() {
            options.extend(["-map", &audio_stream, "-af", "apad", "-c:a", "aac"]);
        }
        options.extend(["-t", &seconds, "-movflags", "+faststart"]);
        ffmpeg.convert(&inputs, &options, "mp4")
    }

    /// Writes the stills as files, no larger than the video needs.
    fn write_stills(
        &self,
        directory: &Path,
        width: u32,
        height: u32,
    ) -> Result<Vec<PathBuf>, MediaError> {
        let drawn = if self.stills.is_empty() {
            // Half the size: ffmpeg enlarges a picture faster than this paints one.
            let landscape = landscape::paint(width / 2, height / 2, self.seed, &self.prompt);
            vec![DynamicImage::from(landscape)]
        } else {
            Vec::new()
        };
        let pictures = self.stills.iter().chain(&drawn).enumerate();
        pictures
            .map(|(index, still)| {
                let file = directory.join(format!("{index}.bmp"));
                let longest = 2 * width.max(height);
                let large = still.width() > longest || still.height() > longest;
                let smaller = large.then(|| still.thumbnail(longest, longest));
                picture::save_bmp(smaller.as_ref().unwrap_or(still), &file)?;
                Ok(file)
            })
            .collect()
    }

    /// Returns the filter graph. Each still in turn fills the frame and slowly zooms in, with the
    /// caption at the bottom.
    fn filter_graph(&self, stills: usize, width: u32, height: u32) -> String {
        let pixels = u64::from(width) * u64::from(height) * u64::from(self.seconds);
        let rate = (MAX_TOTAL_PIXELS / pixels.max(1)).clamp(FRAME_RATES.0, FRAME_RATES.1);
        let frames = (u64::from(self.seconds) * rate)
            .div_ceil(stills as u64)
            .max(1);
        let zooming: String = (0..stills)
            .map(|index| {
                format!(
                    "[{index}:v]scale={width}:{height}:force_original_aspect_ratio=increase,\
                     crop={width}:{height},\
                     zoompan=z='1+0.2*on/{frames}':\
                     x='iw/2-iw/zoom/2':y='ih/2-ih/zoom/2':d={frames}:\
                     s={width}x{height}:fps={rate},setsar=1[still{index}];"
                )
            })
            .collect();
        let all: String = (0..stills).map(|index| format!("[still{index}]")).collect();
        format!(
            "{zooming}{all}concat=n={stills}[shown];\
             [shown][{stills}:v]overlay=0:H-h,format=yuv420p[out]"
        )
    }
}
