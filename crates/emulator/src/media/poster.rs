use ab_glyph::{Font, FontRef, PxScale, ScaleFont, point};
use image::{Rgb, RgbImage, imageops};

use super::{error::MediaError, landscape};

/// Draws a landscape that `seed` and `prompt` choose. `text` is a banner at its bottom.
pub(crate) fn draw(
    width: u32,
    height: u32,
    seed: u64,
    prompt: &str,
    text: &str,
) -> Result<RgbImage, MediaError> {
    let mut picture = landscape::paint(width, height, seed, prompt);
    add(&mut picture, &banner(width, height, text)?);
    Ok(picture)
}

pub(super) fn add(picture: &mut RgbImage, banner: &RgbImage) {
    let top = picture.height().saturating_sub(banner.height());
    imageops::replace(picture, banner, 0, top.into());
}

/// Draws a strip with `text`, as wide as an image of this size, and lower.
pub(crate) fn banner(width: u32, height: u32, text: &str) -> Result<RgbImage, MediaError> {
    const LINES: f32 = 3.0;
    let size = (width.min(height) as f32 / 18.0).clamp(8.0, 64.0);
    let strip_height = ((LINES * 1.4 * size) as u32).clamp(1, height);
    let mut strip = RgbImage::from_pixel(width, strip_height, Rgb([24, 24, 32]));
    write(&mut strip, text, size)?;
    Ok(strip)
}

/// Writes wrapped text in white letters of this size in pixels. Text that does not fit is left out.
fn write(picture: &mut RgbImage, text: &str, size: f32) -> Result<(), MediaError> {
    let font = FontRef::try_from_slice(epaint_default_fonts::UBUNTU_LIGHT)
        .map_err(|_| MediaError::new("the built-in font could not be read"))?;
    let font = font.as_scaled(PxScale::from(size));
    let room = picture.width() as f32 - 2.0 * size;
    let mut top = size * 0.2;
    for line in text
        .lines()
        .flat_map(|line| wrapped(line, room, |letter| font.h_advance(font.glyph_id(letter))))
    {
        if top > picture.height() as f32 {
            break;
        }
        let mut left = size;
        for letter in line.chars() {
            let glyph = font.glyph_id(letter);
            let placed =
                glyph.with_scale_and_position(font.scale(), point(left, top + font.ascent()));
            left += font.h_advance(glyph);
            if let Some(outline) = font.outline_glyph(placed) {
                let corner = outline.px_bounds().min;
                outline.draw(|x, y, cover| {
                    blend(
                        picture,
                        corner.x as i64 + i64::from(x),
                        corner.y as i64 + i64::from(y),
                        cover,
                    )
                });
            }
        }
        top += font.height() * 1.15;
    }
    Ok(())
}

fn blend(picture: &mut RgbImage, x: i64, y: i64, cover: f32) {
    let (Ok(x), Ok(y)) = (u32::try_from(x), u32::try_from(y)) else {
        return; // a letter may reach over the left or the upper edge
    };
    if let Some(pixel) = picture.get_pixel_mut_checked(x, y) {
        let cover = cover.clamp(0.0, 1.0);
        pixel.0 = pixel
            .0
            .map(|channel| (f32::from(channel) + (255.0 - f32::from(channel)) * cover) as u8);
    }
}

/// The most characters of one line that are drawn. No image has room for more.
const MAX_TEXT_CHARACTERS: usize = 2_000;

/// Breaks text between words, or within a word that is wider than a line.
fn wrapped(text: &str, room: f32, advance: impl Fn(char) -> f32) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    let mut width = 0.0;
    for letter in text
        .chars()
        .take(MAX_TEXT_CHARACTERS)
        .filter(|letter| !letter.is_control())
    {
        if width + advance(letter) > room && !line.is_empty() {
            let rest = match line.rfind(' ') {
                Some(at) if letter != ' ' => line.split_off(at + 1),
                _ => String::new(),
            };
            lines.push(std::mem::replace(&mut line, rest));
            width = line.chars().map(&advance).sum();
        }
        if letter != ' ' || !line.is_empty() {
            line.push(letter);
            width += advance(letter);
        }
    }
    lines.push(line);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_between_words_and_within_long_ones() {
        let lines = wrapped("a lighthouse at duskduskdusk", 10.0, |_| 1.0);
        assert_eq!(lines, ["a ", "lighthouse", "at ", "duskduskdu", "sk"]);
    }

    #[test]
    fn the_seed_and_the_prompt_change_the_picture() {
        let draw = |seed, heading| draw(64, 64, seed, heading, "").unwrap();
        assert_eq!(draw(1, "cat"), draw(1, "cat"));
        assert_ne!(draw(1, "cat"), draw(2, "cat"));
        assert_ne!(draw(1, "cat"), draw(1, "dog"));
    }
}
