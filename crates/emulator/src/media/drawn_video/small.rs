//! Draws a video in pure Rust: small and silent.

use image::{RgbImage, imageops::FilterType};
use mediagate_clip::Clip;

use super::spec::DrawnVideo;
use crate::media::{error::MediaError, landscape, poster};

/// Longest side in pixels, whatever clarity was requested: an encoder without assembly is slow.
const MAX_SIDE: f32 = 320.0;

/// How far the camera zooms in, as a fraction of the image.
const ZOOM: f32 = 0.2;

impl DrawnVideo {
    /// A small MP4 file (AV1), without audio.
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
                .map(|it| {
                    it.resize_to_fill(width, height, FilterType::Triangle)
                        .to_rgb8()
                })
                .collect()
        };
        let mut caption_error = None;
        let file = Clip {
            width,
            height,
            seconds: self.seconds,
        }
        .encode(|width, height, position| {
            let mut frame = frame_at(&stills, width, height, position);
            caption_error = poster::caption(&mut frame, &self.caption)
                .err()
                .or(caption_error.take());
            frame
        })?;
        caption_error.map_or(Ok(file), Err)
    }
}

/// The frame at a position from 0 to 1: the still of that part of the video, zoomed in further the later it is.
fn frame_at(stills: &[RgbImage], width: u32, height: u32, position: f32) -> RgbImage {
    let index = ((position * stills.len() as f32) as usize).min(stills.len() - 1);
    let within = position * stills.len() as f32 - index as f32;
    let still = &stills[index];
    let visible = 1.0 - ZOOM * within;
    let (wide, high) = (
        still.width() as f32 * visible,
        still.height() as f32 * visible,
    );
    let (left, top) = (
        (still.width() as f32 - wide) / 2.0,
        (still.height() as f32 - high) / 2.0,
    );
    let view = image::imageops::crop_imm(
        still,
        left as u32,
        top as u32,
        (wide as u32).max(1),
        (high as u32).max(1),
    );
    image::imageops::resize(&view.to_image(), width, height, FilterType::Triangle)
}

/// Even sides in these proportions, the longer one [`MAX_SIDE`].
fn size_for((width, height): (u32, u32)) -> (u32, u32) {
    let scale = MAX_SIDE / width.max(height).max(1) as f32;
    let side = |length: u32| ((length as f32 * scale) as u32 & !1).max(16);
    (side(width), side(height))
}
