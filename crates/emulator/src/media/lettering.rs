//! Sets text in the fonts that the emulator contains.

use ab_glyph::{Font, FontRef, OutlineCurve};
use resvg::tiny_skia::{FillRule, Paint, Path, PathBuilder, Transform};

use super::{canvas::Canvas, colour::Colour, error::MediaError};

/// The height of a line, as a share of the size of its letters.
pub(super) const LINE: f32 = 1.22;

/// The height of capitals, as a share of the size.
pub(super) const CAPITALS: f32 = 0.7;

/// The fonts, each for the letters that those before it lack.
static FONTS: [&[u8]; 3] = [
    epaint_default_fonts::UBUNTU_LIGHT,
    epaint_default_fonts::HACK_REGULAR,
    epaint_default_fonts::NOTO_EMOJI_REGULAR,
];

pub(super) struct Lettering {
    fonts: Vec<FontRef<'static>>,
}

impl Lettering {
    pub(super) fn new() -> Result<Self, MediaError> {
        let fonts = FONTS
            .into_iter()
            .map(FontRef::try_from_slice)
            .collect::<Result<_, _>>()
            .map_err(|_| MediaError::new("the built-in font could not be read"))?;
        Ok(Lettering { fonts })
    }

    /// Returns the text without the letters that no font has, and with single spaces.
    pub(super) fn legible(&self, text: &str) -> String {
        let words = text.split_whitespace().map(|word| {
            word.chars()
                .filter(|letter| !letter.is_control() && self.font_of(*letter).is_some())
                .collect::<String>()
        });
        let words: Vec<String> = words.filter(|word| !word.is_empty()).collect();
        words.join(" ")
    }

    /// Breaks text into lines of at most `room` pixels, between words, or within a word that is
    /// wider than a line.
    pub(super) fn wrap(&self, text: &str, size: f32, room: f32) -> Vec<String> {
        wrapped(text, room, |letter| self.advance(letter, size))
    }

    pub(super) fn width(&self, line: &str, size: f32) -> f32 {
        line.chars().map(|letter| self.advance(letter, size)).sum()
    }

    /// Draws a line. `at` is the start of its baseline.
    pub(super) fn write(
        &self,
        canvas: &mut Canvas,
        line: &str,
        size: f32,
        at: (f32, f32),
        colour: Colour,
    ) {
        let mut left = at.0;
        let mut paint = Paint::default();
        let [red, green, blue] = colour.map(|channel| channel as u8);
        paint.set_color_rgba8(red, green, blue, u8::MAX);
        for letter in line.chars() {
            if let Some(path) = self.outline(letter, size) {
                canvas.pixels.fill_path(
                    &path,
                    &paint,
                    FillRule::Winding,
                    Transform::from_translate(left, at.1),
                    None,
                );
            }
            left += self.advance(letter, size);
        }
    }

    fn font_of(&self, letter: char) -> Option<&FontRef<'static>> {
        let has_letter = |font: &&FontRef<'_>| font.glyph_id(letter).0 != 0;
        self.fonts.iter().find(has_letter)
    }

    fn advance(&self, letter: char, size: f32) -> f32 {
        let Some(font) = self.font_of(letter) else {
            return 0.0;
        };
        font.h_advance_unscaled(font.glyph_id(letter)) * scale(font, size)
    }

    /// Returns the outline of a letter, with its start on the baseline at the origin.
    fn outline(&self, letter: char, size: f32) -> Option<Path> {
        let font = self.font_of(letter)?;
        let outline = font.outline(font.glyph_id(letter))?;
        let scale = scale(font, size);
        let at = |point: ab_glyph::Point| (point.x * scale, -point.y * scale);
        let mut path = PathBuilder::new();
        let mut last = None;
        for curve in outline.curves {
            let (from, to) = match curve {
                OutlineCurve::Line(from, to)
                | OutlineCurve::Quad(from, _, to)
                | OutlineCurve::Cubic(from, _, _, to) => (from, to),
            };
            if last != Some(from) {
                let (x, y) = at(from);
                path.move_to(x, y);
            }
            let (x, y) = at(to);
            match curve {
                OutlineCurve::Line(..) => path.line_to(x, y),
                OutlineCurve::Quad(_, control, _) => {
                    let (x1, y1) = at(control);
                    path.quad_to(x1, y1, x, y);
                }
                OutlineCurve::Cubic(_, one, two, _) => {
                    let ((x1, y1), (x2, y2)) = (at(one), at(two));
                    path.cubic_to(x1, y1, x2, y2, x, y);
                }
            }
            last = Some(to);
        }
        path.finish()
    }
}

fn scale(font: &FontRef<'_>, size: f32) -> f32 {
    size / font.units_per_em().unwrap_or(1000.0)
}

/// The most characters of one line that are set. No image has room for more.
const MAX_TEXT_CHARACTERS: usize = 2_000;

fn wrapped(text: &str, room: f32, advance: impl Fn(char) -> f32) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    let mut width = 0.0;
    for letter in text.chars().take(MAX_TEXT_CHARACTERS) {
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
    fn letters_that_no_font_has_are_left_out() {
        let lettering = Lettering::new().unwrap();
        let legible = lettering.legible("Привет,\n灯台  Ωmega \u{0}🗼");
        assert_eq!(legible, "Привет, Ωmega 🗼");
    }
}
