//! Draws a video in pure Rust: small and silent.

use image::{RgbImage, imageops::FilterType};
use mediagate_clip::Clip;

use super::{spec::DrawnVideo, speech};
use crate::media::{error::MediaError, landscape, portrait, poster};

/// The longest side in pixels, whatever clarity was requested. The encoder is slow, as it is built
/// without assembly.
const MAX_SIDE: f32 = 320.0;

/// The part of each side that the zoom cuts off in the end.
const ZOOM: f32 = 0.2;

/// The movements of a speaker's mouth in a video, more than it has frames.
const SYLLABLES: usize = 32;

impl DrawnVideo {
    /// Encodes a small MP4 file (AV1) without audio.
    ///
    /// # Errors
    /// A length that the encoder rejects.
    pub(crate) fn encode_small(&self) -> Result<Vec<u8>, MediaError> {
        let (width, height) = size_for(self.aspect);
        let stills: Vec<RgbImage> = if self.stills.is_empty() {
            vec![landscape::paint(
                2 * width,
                2 * height,
                self.seed,
                &self.prompt,
            )]
        } else {
            self.stills
                .iter()
                .map(|still| {
                    still
                        .resize_to_fill(width, height, FilterType::Triangle)
                        .to_rgb8()
                })
                .collect()
        };
        let mouths = speech::of_words(&self.prompt, SYLLABLES);
        // The closure that draws a frame cannot fail, so its first error is kept for later.
        let mut caption_error = None;
        let file = Clip {
            width,
            height,
            seconds: self.seconds,
        }
        .encode(|width, height, position| {
            let mut frame = match self.speaker() {
                Some(avatar) => {
                    let mouth = mouths[(position * (SYLLABLES - 1) as f32) as usize];
                    portrait::paint(width, height, avatar, mouth.openness())
                }
                None => frame_at(&stills, width, height, position),
            };
            if let Err(error) = poster::caption(&mut frame, &self.caption) {
                caption_error.get_or_insert(error);
            }
            frame
        })?;
        caption_error.map_or(Ok(file), Err)
    }
}

/// Returns the frame at a position in the video from 0 to 1. Each still is shown for an equal part
/// of the video, and is zoomed in during its part.
fn frame_at(stills: &[RgbImage], width: u32, height: u32, position: f32) -> RgbImage {
    let index = ((position * stills.len() as f32) as usize).min(stills.len() - 1);
    let within = position * stills.len() as f32 - index as f32;
    let still = &stills[index];
    let visible = 1.0 - ZOOM * within;
    let wide = still.width() as f32 * visible;
    let high = still.height() as f32 * visible;
    let left = (still.width() as f32 - wide) / 2.0;
    let top = (still.height() as f32 - high) / 2.0;
    let view = image::imageops::crop_imm(
        still,
        left as u32,
        top as u32,
        (wide as u32).max(1),
        (high as u32).max(1),
    );
    image::imageops::resize(&view.to_image(), width, height, FilterType::Triangle)
}

/// Returns even sides in these proportions. The longer side is [`MAX_SIDE`].
fn size_for((width, height): (u32, u32)) -> (u32, u32) {
    let scale = MAX_SIDE / width.max(height).max(1) as f32;
    let side = |length: u32| ((length as f32 * scale) as u32 & !1).max(16);
    (side(width), side(height))
}
