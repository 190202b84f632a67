use image::{
    RgbImage,
    imageops::{self, FilterType},
};
use mediagate_clip::Clip;
use resvg::tiny_skia::Transform;

use super::{spec::DrawnVideo, speech};
use crate::media::{
    canvas::Canvas,
    error::MediaError,
    portrait,
    scene::{Layer, Scene},
};

/// The longest side in pixels, whatever clarity was requested. The encoder is slow, as it is built
/// without assembly.
const MAX_SIDE: f32 = 320.0;

/// The part of each side that the zoom cuts off in the end.
const ZOOM: f32 = 0.2;

/// The number of a speaker's movements of the mouth, more than a video has frames.
const SYLLABLES: usize = 32;

impl DrawnVideo {
    /// Encodes a small MP4 file (AV1) without audio.
    pub(crate) fn encode_small(&self) -> Result<Vec<u8>, MediaError> {
        let (width, height) = size_for(self.aspect);
        let stills: Vec<RgbImage> = self
            .stills
            .iter()
            .map(|still| still.resize_to_fill(width, height, FilterType::Triangle))
            .map(|still| still.to_rgb8())
            .collect();
        let layers = if stills.is_empty() && self.speaker().is_none() {
            Scene::new(&self.prompt, self.seed).layers(width, height, 1.0 + ZOOM)?
        } else {
            Vec::new()
        };
        let mouths = speech::of_words(&self.prompt, SYLLABLES);
        let clip = Clip {
            width,
            height,
            seconds: self.seconds,
        };
        // The encoder takes no errors, so the first one is kept until its end.
        let mut failure = None;
        let file = clip.encode(|width, height, position| {
            let frame = match self.speaker() {
                Some(avatar) => {
                    let mouth = mouths[(position * (SYLLABLES - 1) as f32) as usize];
                    portrait::paint(width, height, avatar, mouth.openness())
                }
                None if stills.is_empty() => self.scene_at(&layers, width, height, position),
                None => Ok(frame_at(&stills, width, height, position)),
            };
            frame.unwrap_or_else(|error| {
                failure = Some(error);
                RgbImage::new(width, height)
            })
        })?;
        if let Some(error) = failure {
            return Err(error);
        }
        Ok(file)
    }

    /// Draws the layers at a `position` in the video from 0 to 1.
    fn scene_at(
        &self,
        layers: &[Layer],
        width: u32,
        height: u32,
        position: f32,
    ) -> Result<RgbImage, MediaError> {
        let mut canvas = Canvas::new(width, height)?;
        let length = self.seconds as f32;
        for (index, layer) in layers.iter().enumerate() {
            let at = if index == 0 {
                let (wide, high) = layer.canvas.size();
                let scale = width as f32 / wide as f32 * (1.0 + ZOOM * position);
                let left = (width as f32 - wide as f32 * scale) / 2.0;
                let top = (height as f32 - high as f32 * scale) / 2.0;
                Transform::from_row(scale, 0.0, 0.0, scale, left, top)
            } else {
                layer.at(position * length, length)
            };
            canvas.blend(&layer.canvas, at);
        }
        canvas.into_rgb()
    }
}

/// Returns the frame at a `position` from 0 to 1. Each still is shown for an equal part of the
/// video, zoomed in.
fn frame_at(stills: &[RgbImage], width: u32, height: u32, position: f32) -> RgbImage {
    let index = ((position * stills.len() as f32) as usize).min(stills.len() - 1);
    let within = position * stills.len() as f32 - index as f32;
    let still = &stills[index];
    let visible = 1.0 - ZOOM * within;
    let wide = (still.width() as f32 * visible) as u32;
    let high = (still.height() as f32 * visible) as u32;
    let left = (still.width() - wide) / 2;
    let top = (still.height() - high) / 2;
    let view = imageops::crop_imm(still, left, top, wide.max(1), high.max(1));
    imageops::resize(&view.to_image(), width, height, FilterType::Triangle)
}

/// Returns even sides in these proportions. The longer is [`MAX_SIDE`].
fn size_for((width, height): (u32, u32)) -> (u32, u32) {
    let scale = MAX_SIDE / width.max(height).max(1) as f32;
    let side = |length: u32| ((length as f32 * scale) as u32 & !1).max(16);
    (side(width), side(height))
}
