use std::path::{Path, PathBuf};

use image::RgbImage;

use super::{
    spec::DrawnVideo,
    speech::{self, Mouth},
};
use crate::media::{
    error::MediaError,
    ffmpeg::{Ffmpeg, Input},
    picture, portrait,
    scene::Scene,
};

/// The most pixels in all frames of a video together. Large or long videos have fewer frames a
/// second, so that each of them is encoded within seconds.
const MAX_TOTAL_PIXELS: u64 = 400_000_000;

/// The lowest and the highest frame rate, in frames a second.
const FRAME_RATES: (u64, u64) = (2, 12);

/// The highest frame rate of a speech, in which each frame is a letter.
const MAX_SPEECH_RATE: u64 = 8;

/// The size of a backdrop, as a multiple of the video's: what a zoom shows stays sharp.
const OVERSCAN: f32 = 1.12;

/// The frames of a video before they are encoded.
struct Film {
    /// The input files, and the options of ffmpeg for each.
    files: Vec<(PathBuf, String)>,
    /// A filter graph whose last output has no name.
    graph: String,
}

impl DrawnVideo {
    /// Encodes an MP4 file (H.264) of this size in pixels. Both sides must be even.
    pub(crate) fn encode(
        &self,
        ffmpeg: &Ffmpeg,
        (width, height): (u32, u32),
        audio: Option<&Path>,
    ) -> Result<Vec<u8>, MediaError> {
        let directory = ffmpeg.workspace()?;
        let directory = directory.path();
        let Film { files, graph } = match self.speaker() {
            Some(avatar) => self.speech(directory, ffmpeg, (width, height), avatar, audio)?,
            None if self.stills.is_empty() => self.scene(directory, width, height)?,
            None => self.zoom(directory, width, height)?,
        };
        let mut inputs: Vec<Input<'_>> = files
            .iter()
            .map(|(path, options)| Input { path, options })
            .collect();
        inputs.extend(audio.map(Input::from));
        let mut options = format!(
            "-filter_complex {graph},format=yuv420p[out] -map [out] \
             -c:v libx264 -preset ultrafast -t {} -movflags +faststart",
            self.seconds
        );
        // Silence after the audio, so that the picture alone decides the length.
        if audio.is_some() {
            options += &format!(" -map {}:a:0 -af apad -c:a aac", files.len());
        }
        ffmpeg.convert(&inputs, &options, "mp4")
    }

    fn speech(
        &self,
        directory: &Path,
        ffmpeg: &Ffmpeg,
        (width, height): (u32, u32),
        avatar: &str,
        audio: Option<&Path>,
    ) -> Result<Film, MediaError> {
        let rate = self.frame_rate(width, height);
        let frame_count = (u64::from(self.seconds) * rate) as usize;
        let mouths = match audio {
            Some(audio) => speech::of_sound(ffmpeg, audio, frame_count, rate)?,
            None => speech::of_words(&self.prompt, frame_count),
        };
        let face = |mouth: Mouth| portrait::paint(width, height, avatar, mouth.openness());
        let frames = write_speech(directory, &mouths, face)?;
        Ok(Film {
            files: vec![(frames, format!("-framerate {rate}"))],
            graph: "[0:v]setsar=1".into(),
        })
    }

    /// Draws a scene as layers, and moves them before a backdrop into which the camera zooms.
    fn scene(&self, directory: &Path, width: u32, height: u32) -> Result<Film, MediaError> {
        let rate = self.frame_rate(width, height);
        let frames = u64::from(self.seconds) * rate;
        let scene = Scene::new(&self.prompt, self.seed);
        let mut files = Vec::new();
        let mut graph = format!(
            "[0:v]format=yuv420p,zoompan=z='1.02+0.06*on/{frames}':\
             x='(iw-iw/zoom)/2':y='(ih-ih/zoom)/2':\
             d={frames}:s={width}x{height}:fps={rate},setsar=1"
        );
        for (index, layer) in scene
            .layers(width, height, OVERSCAN)?
            .into_iter()
            .enumerate()
        {
            let (wide, high) = layer.canvas.size();
            if index > 0 {
                let (left, top) = layer.overlay(self.seconds);
                // A layer is one frame, which stays. Only a rotation needs new ones.
                let rotation = layer.rotation().map_or_else(String::new, |rotation| {
                    format!("loop=-1:1:0,setpts=N/{rate}/TB,{rotation},")
                });
                graph += &format!(
                    "[shown{index}];[{index}:v]{rotation}format=yuva420p[layer{index}];\
                     [shown{index}][layer{index}]overlay=x='{left}':y='{top}'"
                );
            }
            let file = directory.join(format!("{index}.rgba"));
            std::fs::write(&file, layer.canvas.into_rgba())
                .map_err(|_| MediaError::new("there is no room for temporary files"))?;
            let format = format!(
                "-f rawvideo -pixel_format rgba -video_size {wide}x{high} -framerate {rate}"
            );
            files.push((file, format));
        }
        Ok(Film { files, graph })
    }

    /// Shows each still in turn, and zooms into it.
    fn zoom(&self, directory: &Path, width: u32, height: u32) -> Result<Film, MediaError> {
        let files = self.write_stills(directory, width, height)?;
        let rate = self.frame_rate(width, height);
        let stills = files.len();
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
        Ok(Film {
            files: files
                .into_iter()
                .map(|file| (file, String::new()))
                .collect(),
            graph: format!("{zooming}{all}concat=n={stills}"),
        })
    }

    fn write_stills(
        &self,
        directory: &Path,
        width: u32,
        height: u32,
    ) -> Result<Vec<PathBuf>, MediaError> {
        let pictures = self.stills.iter().enumerate();
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
}

fn write_speech(
    directory: &Path,
    mouths: &[Mouth],
    face: impl Fn(Mouth) -> Result<RgbImage, MediaError>,
) -> Result<PathBuf, MediaError> {
    let file_of = |mouth: Mouth| directory.join(format!("{mouth:?}.bmp"));
    for mouth in Mouth::ALL {
        picture::save_bmp(&face(mouth)?.into(), &file_of(mouth))?;
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
