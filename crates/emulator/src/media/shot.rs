//! Clips that stand for what a model would have filmed: pictures that slowly move, with the request written below.
//! Small and silent here, in pure Rust; with ffmpeg, [`super::film`] makes them in full.

use image::{DynamicImage, RgbImage, imageops::FilterType};
use mediagate_clip::Clip;

use super::{Failure, poster};

/// Longest side of a drawn clip, in pixels, whatever clarity is asked for: an encoder without assembly is slow.
const LONGEST_SIDE: f32 = 320.0;

/// How far the camera moves in, as a part of the picture.
const PUSH: f32 = 0.2;

/// What to film.
pub(crate) struct Shot {
    /// The pictures to move over, each for an equal part of the clip; none for a gradient.
    pub(crate) stills: Vec<DynamicImage>,
    /// Width to height, such as `(16, 9)`.
    pub(crate) aspect: (u32, u32),
    /// Seconds.
    pub(crate) seconds: u32,
    /// Chooses the gradient.
    pub(crate) seed: u64,
    /// Written over the foot of the clip.
    pub(crate) caption: String,
}

impl Shot {
    /// The small clip, as an MP4 file.
    pub(crate) fn film(&self) -> Result<Vec<u8>, Failure> {
        let (width, height) = fitted(self.aspect);
        let stills: Vec<RgbImage> = if self.stills.is_empty() {
            vec![poster::gradient(2 * width, 2 * height, self.seed)]
        } else {
            self.stills.iter().map(|it| it.resize_to_fill(width, height, FilterType::Triangle).to_rgb8()).collect()
        };
        let mut unwritten = None;
        let file = Clip { width, height, seconds: self.seconds }.encode(|width, height, at| {
            let mut frame = pushed_in(&stills, width, height, at);
            unwritten = poster::caption(&mut frame, &self.caption).err().or(unwritten.take());
            frame
        })?;
        unwritten.map_or(Ok(file), Err)
    }
}

/// The still whose turn it is, a little larger the later.
fn pushed_in(stills: &[RgbImage], width: u32, height: u32, at: f32) -> RgbImage {
    let turn = ((at * stills.len() as f32) as usize).min(stills.len() - 1);
    let within = at * stills.len() as f32 - turn as f32;
    let still = &stills[turn];
    let shown = 1.0 - PUSH * within;
    let (wide, high) = (still.width() as f32 * shown, still.height() as f32 * shown);
    let (left, top) = ((still.width() as f32 - wide) / 2.0, (still.height() as f32 - high) / 2.0);
    let view = image::imageops::crop_imm(still, left as u32, top as u32, (wide as u32).max(1), (high as u32).max(1));
    image::imageops::resize(&view.to_image(), width, height, FilterType::Triangle)
}

/// Even sides in these proportions, the longer one as long as a drawn clip's.
fn fitted((width, height): (u32, u32)) -> (u32, u32) {
    let scale = LONGEST_SIDE / width.max(height).max(1) as f32;
    let side = |length: u32| ((length as f32 * scale) as u32 & !1).max(16);
    (side(width), side(height))
}
