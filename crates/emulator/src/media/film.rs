//! What a model would have filmed, drawn in the asked size and with the sound that was sent, where there is an ffmpeg.

use std::path::{Path, PathBuf};

use image::DynamicImage;

use super::{
    Failure,
    ffmpeg::{Ffmpeg, Input},
    picture, poster,
    shot::Shot,
};

/// Pixels that one film has in all its frames: large or long ones have fewer frames a second.
const MOST_PIXELS: u64 = 400_000_000;

/// Frames a second, fewest and most.
const FRAMES: (u64, u64) = (2, 12);

impl Shot {
    /// The film, as an MP4 file of this size, both sides even.
    pub(crate) fn film_with(
        &self,
        ffmpeg: &Ffmpeg,
        (width, height): (u32, u32),
        sound: Option<&Path>,
    ) -> Result<Vec<u8>, Failure> {
        let directory = ffmpeg.workspace()?;
        let mut files = self.stills_in(directory.path(), width, height)?;
        let stills = files.len();
        let banner = directory.path().join("banner.bmp");
        picture::save(&poster::banner(width, height, &self.caption)?.into(), &banner)?;
        files.push(banner);
        let mut inputs: Vec<Input<'_>> = files.iter().map(|it| it.as_path().into()).collect();
        inputs.extend(sound.map(Input::from));

        let graph = self.graph(stills, width, height);
        let seconds = self.seconds.to_string();
        let mut options = vec!["-filter_complex", &graph, "-map", "[out]", "-c:v", "libx264", "-preset", "ultrafast"];
        let sounding = format!("{}:a:0", stills + 1);
        if sound.is_some() {
            options.extend(["-map", &sounding, "-af", "apad", "-c:a", "aac"]);
        }
        options.extend(["-t", &seconds, "-movflags", "+faststart"]);
        ffmpeg.convert(&inputs, &options, "mp4")
    }

    /// The pictures as files, no larger than the film.
    fn stills_in(&self, directory: &Path, width: u32, height: u32) -> Result<Vec<PathBuf>, Failure> {
        // Enlarged by ffmpeg, which is faster at it.
        let gradient = || DynamicImage::from(poster::gradient(width / 4, height / 4, self.seed));
        let drawn = if self.stills.is_empty() { vec![gradient()] } else { Vec::new() };
        let pictures = self.stills.iter().chain(&drawn).enumerate();
        pictures
            .map(|(at, still)| {
                let file = directory.join(format!("{at}.bmp"));
                let longest = 2 * width.max(height);
                let large = still.width() > longest || still.height() > longest;
                let smaller = large.then(|| still.thumbnail(longest, longest));
                picture::save(smaller.as_ref().unwrap_or(still), &file)?;
                Ok(file)
            })
            .collect()
    }

    /// Each still fills the frame and slowly grows; one follows the other, below all of them the caption.
    fn graph(&self, stills: usize, width: u32, height: u32) -> String {
        let pixels = u64::from(width) * u64::from(height) * u64::from(self.seconds);
        let rate = (MOST_PIXELS / pixels.max(1)).clamp(FRAMES.0, FRAMES.1);
        let each = (u64::from(self.seconds) * rate).div_ceil(stills as u64).max(1);
        let moving: String = (0..stills)
            .map(|at| {
                format!(
                    "[{at}:v]scale={width}:{height}:force_original_aspect_ratio=increase,crop={width}:{height},\
                     zoompan=z='1+0.2*on/{each}':x='iw/2-iw/zoom/2':y='ih/2-ih/zoom/2':d={each}:\
                     s={width}x{height}:fps={rate},setsar=1[still{at}];"
                )
            })
            .collect();
        let all: String = (0..stills).map(|at| format!("[still{at}]")).collect();
        format!("{moving}{all}concat=n={stills}[shown];[shown][{stills}:v]overlay=0:H-h,format=yuv420p[out]")
    }
}
