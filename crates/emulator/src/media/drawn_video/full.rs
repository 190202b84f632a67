use std::path::{Path, PathBuf};

use image::{DynamicImage, RgbImage};

use super::{
    spec::DrawnVideo,
    speech::{self, Mouth},
};
use crate::media::{
    error::MediaError,
    ffmpeg::{Ffmpeg, Input},
    landscape, picture, portrait, poster,
};

/// The most pixels in all frames of a video together. Large or long videos have fewer frames a
/// second, so that each of them is encoded within seconds.
const MAX_TOTAL_PIXELS: u64 = 400_000_000;

/// The lowest and the highest frame rate, in frames a second.
const FRAME_RATES: (u64, u64) = (2, 12);

/// The highest frame rate of a speech, in which each frame is a letter.
const MAX_SPEECH_RATE: u64 = 8;

impl DrawnVideo {
    /// Encodes an MP4 file (H.264) of this size in pixels. Both sides must be even.
    pub(crate) fn encode(
        &self,
        ffmpeg: &Ffmpeg,
        (width, height): (u32, u32),
        audio: Option<&Path>,
    ) -> Result<Vec<u8>, MediaError> {
        let directory = ffmpeg.workspace()?;
        let rate = self.frame_rate(width, height);
        let framerate = format!("-framerate {rate}");
        let (files, file_options) = match self.speaker() {
            Some(avatar) => {
                let frame_count = (u64::from(self.seconds) * rate) as usize;
                let mouths = match audio {
                    Some(audio) => speech::of_sound(ffmpeg, audio, frame_count, rate)?,
                    None => speech::of_words(&self.prompt, frame_count),
                };
                let face =
                    |mouth: Mouth| portrait::paint(width / 2, height / 2, avatar, mouth.openness());
                let frames = write_speech(directory.path(), &mouths, face)?;
                (vec![frames], framerate.as_str())
            }
            None => {
                let stills = self.write_stills(directory.path(), width, height)?;
                (stills, "")
            }
        };
        let banner = directory.path().join("banner.bmp");
        picture::save_bmp(
            &poster::banner(width, height, &self.caption)?.into(),
            &banner,
        )?;
        let mut inputs: Vec<Input<'_>> = files
            .iter()
            .map(|path| Input {
                path,
                options: file_options,
            })
            .collect();
        inputs.push(banner.as_path().into());
        inputs.extend(audio.map(Input::from));

        let graph = self.filter_graph(files.len(), width, height);
        let mut options = format!(
            "-filter_complex {graph} -map [out] -c:v libx264 -preset ultrafast \
             -t {} -movflags +faststart",
            self.seconds
        );
        // Silence after the audio, so that the picture alone decides the length.
        if audio.is_some() {
            options += &format!(" -map {}:a:0 -af apad -c:a aac", files.len() + 1);
        }
        ffmpeg.convert(&inputs, &options, "mp4")
    }

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

    fn frame_rate(&self, width: u32, height: u32) -> u64 {
        let pixels = u64::from(width) * u64::from(height) * u64::from(self.seconds);
        let rate = (MAX_TOTAL_PIXELS / pixels.max(1)).clamp(FRAME_RATES.0, FRAME_RATES.1);
        if self.speaker().is_some() {
            rate.min(MAX_SPEECH_RATE)
        } else {
            rate
        }
    }

    /// Returns the filter graph. Each still in turn fills the frame and slowly zooms in, with the
    /// caption at the bottom. A speaker does not zoom.
    fn filter_graph(&self, stills: usize, width: u32, height: u32) -> String {
        let captioned = format!("[shown][{stills}:v]overlay=0:H-h,format=yuv420p[out]");
        if self.speaker().is_some() {
            return format!("[0:v]scale={width}:{height},setsar=1[shown];{captioned}");
        }
        let rate = self.frame_rate(width, height);
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
        format!("{zooming}{all}concat=n={stills}[shown];{captioned}")
    }
}

fn write_speech(
    directory: &Path,
    mouths: &[Mouth],
    face: impl Fn(Mouth) -> RgbImage,
) -> Result<PathBuf, MediaError> {
    let file_of = |mouth: Mouth| directory.join(format!("{mouth:?}.bmp"));
    for mouth in Mouth::ALL {
        picture::save_bmp(&face(mouth).into(), &file_of(mouth))?;
    }
    for (index, mouth) in mouths.iter().enumerate() {
        let frame = directory.join(format!("{index:05}.bmp"));
        // Not every file system has hard links.
        std::fs::hard_link(file_of(*mouth), &frame)
            .or_else(|_| std::fs::copy(file_of(*mouth), &frame).map(drop))
            .map_err(|_| MediaError::new("there is no room for temporary files"))?;
    }
    Ok(directory.join("%05d.bmp"))
}
