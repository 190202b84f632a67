//! A title card: the words of a prompt that names nothing that could be drawn.

use fastrand::Rng;
use resvg::tiny_skia::Transform;

use super::{
    between,
    layer::{Layer, Motion},
    sky::wrapped,
};
use crate::media::{
    canvas::Canvas,
    colour::{Colour, hex, written},
    error::MediaError,
    lettering::{CAPITALS, LINE, Lettering},
};

/// Two colours of the ground, one of its shapes, and one of the letters.
static PALETTES: [[Colour; 4]; 8] = [
    [hex(0x1f2a5a), hex(0x4a3a86), hex(0xf2a65a), hex(0xfdf6e9)],
    [hex(0x0f4c4a), hex(0x1f7a6c), hex(0xf3d37a), hex(0xf7f5ea)],
    [hex(0xf7e4cf), hex(0xf2c3a5), hex(0xe07a5f), hex(0x3a2a34)],
    [hex(0xdcecf0), hex(0xa9cfdd), hex(0xf4a259), hex(0x1f3a4a)],
    [hex(0x5b1f3f), hex(0xa13a55), hex(0xf6b38a), hex(0xfff3ea)],
    [hex(0xe9e4f4), hex(0xc4b5e3), hex(0xf28f8f), hex(0x2f2a4f)],
    [hex(0x23395b), hex(0x3f6f93), hex(0xa7e0d3), hex(0xf3f8f7)],
    [hex(0xf3efd9), hex(0xcfdcae), hex(0x6a9c6b), hex(0x2a3a2c)],
];

/// The largest and the smallest letters, as shares of the shorter side.
const SIZES: (f32, f32) = (0.22, 0.035);

pub(super) fn layers(
    prompt: &str,
    rng: &mut Rng,
    (width, height): (u32, u32),
    overscan: f32,
) -> Result<Vec<Layer>, MediaError> {
    let [upper, lower, shape, ink] = PALETTES[rng.usize(..PALETTES.len())];
    let lettering = Lettering::new()?;
    let text = lettering.legible(prompt);
    let (wide, high) = (width as f32, height as f32);

    let mut ground = Canvas::new(
        (wide * overscan).round() as u32,
        (high * overscan).round() as u32,
    )?;
    let drawing = decoration([upper, lower, shape], (wide, high), text.is_empty(), rng);
    ground.svg(&drawing, Transform::from_scale(overscan, overscan))?;
    let mut layers = vec![Layer::fixed(ground)];
    if !text.is_empty() {
        let mut letters = Canvas::new(width, height)?;
        set(&lettering, &mut letters, &text, ink);
        layers.push(Layer {
            canvas: letters,
            left: 0,
            top: 0,
            motion: Motion {
                drift: (0.0, -0.03 * high),
                ..Motion::default()
            },
        });
    }
    Ok(layers)
}

/// Returns an SVG image of a gradient with a few large and faint circles. Without a text, they
/// are all that the card has, and stronger.
fn decoration(
    [upper, lower, shape]: [Colour; 3],
    (width, height): (f32, f32),
    is_alone: bool,
    rng: &mut Rng,
) -> String {
    let unit = width.min(height);
    let (right, down, strength) = if is_alone {
        (between(rng, 0.55, 0.68), between(rng, 0.36, 0.48), 0.95)
    } else {
        (between(rng, 0.84, 0.98), between(rng, 0.06, 0.2), 0.42)
    };
    let (right, down) = (width * right, height * down);
    let shape = written(shape);
    let shapes = format!(
        r##"<linearGradient id="g" x2="{}" y2="1"><stop offset="0" stop-color="{}"/>
        <stop offset="1" stop-color="{}"/></linearGradient>
        <rect width="{width}" height="{height}" fill="url(#g)"/>
        <circle cx="{right}" cy="{down}" r="{}" fill="{shape}" fill-opacity="{strength}"/>
        <circle cx="{right}" cy="{down}" r="{}" fill="none" stroke="{shape}" stroke-width="{}" stroke-opacity="{}"/>
        <circle cx="{}" cy="{}" r="{}" fill="#fff" fill-opacity=".06"/>"##,
        between(rng, 0.2, 1.0),
        written(upper),
        written(lower),
        unit * between(rng, 0.16, 0.22),
        unit * between(rng, 0.3, 0.42),
        unit * 0.004,
        strength * 0.8,
        width * between(rng, 0.0, 0.3),
        height * between(rng, 0.95, 1.1),
        unit * between(rng, 0.45, 0.7),
    );
    wrapped(&shapes, width, height)
}

/// Sets the text at the lower left, as large as it fits.
fn set(lettering: &Lettering, canvas: &mut Canvas, text: &str, ink: Colour) {
    let (width, height) = canvas.size();
    let (width, height) = (width as f32, height as f32);
    let unit = width.min(height);
    let margin = 0.085 * unit;
    let room = width - 2.0 * margin;
    let fits = |lines: &[String], size: f32| lines.len() as f32 * LINE * size <= 0.72 * height;
    let longest = text.split(' ').map(|word| lettering.width(word, 1.0));
    let longest = longest.fold(0.0, f32::max);
    // A word is broken only if it would be tiny otherwise.
    let mut size = (SIZES.0 * unit)
        .min(room / longest)
        .max(0.065 * unit)
        .max(1.0);
    let mut lines = lettering.wrap(text, size, room);
    while !fits(&lines, size) && size * 0.94 > SIZES.1 * unit {
        size *= 0.94;
        lines = lettering.wrap(text, size, room);
    }
    let most = ((0.72 * height / (LINE * size)) as usize).max(1);
    if lines.len() > most {
        lines.truncate(most);
        if let Some(last) = lines.last_mut() {
            while lettering.width(&format!("{}…", last.trim_end()), size) > room {
                last.pop();
            }
            *last = format!("{}…", last.trim_end_matches([' ', ',', '.', ';', ':']));
        }
    }
    let mut baseline = height - margin - (lines.len() - 1) as f32 * LINE * size;
    // The margin is that of the letters that the eye sees.
    baseline -= 0.5 * (1.0 - CAPITALS) * size;
    for line in lines {
        lettering.write(canvas, line.trim_end(), size, (margin, baseline), ink);
        baseline += LINE * size;
    }
}
