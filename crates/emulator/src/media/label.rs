use image::RgbaImage;
use resvg::tiny_skia::Transform;

use super::{
    canvas::Canvas,
    colour::WHITE,
    error::MediaError,
    lettering::{CAPITALS, Lettering},
};

/// Draws a small, rounded label with a text, to be laid over the upper left corner of a picture of
/// this size in pixels. A long text is cut off.
pub(crate) fn draw(width: u32, height: u32, text: &str) -> Result<RgbaImage, MediaError> {
    let lettering = Lettering::new()?;
    let (width, height) = (width as f32, height as f32);
    let size = (width.min(height) / 22.0).clamp(8.0, 48.0);
    let margin = 0.8 * size;
    let padding = 0.75 * size;
    let mut text = lettering.legible(text);
    let room = width - 2.0 * (margin + padding);
    if lettering.width(&text, size) > room {
        while !text.is_empty() && lettering.width(&format!("{text}…"), size) > room {
            text.pop();
        }
        text.push('…');
    }
    let wide = lettering.width(&text, size) + 2.0 * padding;
    let high = 1.9 * size;
    let mut canvas = Canvas::new((margin + wide).ceil() as u32, (margin + high).ceil() as u32)?;
    let pill = format!(
        r##"<svg xmlns="http://www.w3.org/2000/svg" width="{}" height="{}">
        <rect x="{margin}" y="{margin}" width="{wide}" height="{high}" rx="{}"
        fill="#1b1c2b" fill-opacity=".82"/></svg>"##,
        margin + wide,
        margin + high,
        high / 2.0
    );
    canvas.svg(&pill, Transform::identity())?;
    let baseline = margin + (high + CAPITALS * size) / 2.0;
    let start = (margin + padding, baseline);
    lettering.write(&mut canvas, &text, size, start, WHITE);
    canvas.into_rgba_image()
}
