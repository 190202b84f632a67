//! Paints a landscape that stands in for a generated picture. Words of the prompt choose its light
//! and its place, and a hash of the prompt chooses everything else.

use std::{
    f32::consts::TAU,
    hash::{DefaultHasher, Hash, Hasher},
};

use fastrand::Rng;
use image::RgbImage;

/// Red, green and blue, from 0 to 255.
pub(super) type Colour = [f32; 3];

/// The time of day and the weather.
#[derive(Clone, Copy)]
pub(super) enum Light {
    Day,
    Dawn,
    Dusk,
    Night,
    Grey,
}

/// The ground below the sky.
#[derive(Clone, Copy)]
enum Place {
    Sea,
    Forest,
    City,
    Mountains,
    Desert,
    Hills,
    Person,
}

const LIGHTS: &[(Light, &str)] = &[
    (
        Light::Night,
        "night midnight moon moonlight star dark neon galaxy",
    ),
    (Light::Dusk, "dusk sunset evening twilight"),
    (Light::Dawn, "dawn sunrise morning"),
    (
        Light::Grey,
        "rain rainy fog foggy mist misty storm stormy cloudy winter overcast",
    ),
    (
        Light::Day,
        "day daylight noon summer sunny bright sky spring",
    ),
];

const PLACES: &[(Place, &str)] = &[
    (
        Place::Sea,
        "sea ocean water lake river beach coast wave boat ship sail lighthouse island harbour bay",
    ),
    (
        Place::Forest,
        "forest wood tree jungle pine park garden fox deer bear",
    ),
    (
        Place::City,
        "city town street building skyline office tower traffic car bridge",
    ),
    (
        Place::Mountains,
        "mountain alp peak snow snowy glacier cliff rock",
    ),
    (Place::Desert, "desert dune sand camel canyon mars"),
    (
        Place::Person,
        "person people host woman man girl boy child portrait face presenter singer speaker studio",
    ),
    (
        Place::Hills,
        "hill field meadow grass farm valley flower sheep cow horse",
    ),
];

/// The colours of a light.
pub(super) struct Palette {
    /// The sky at the top.
    top: Colour,
    /// The sky at the horizon, into which distant ground fades.
    horizon: Colour,
    /// The sun or the moon, and its distance from the top.
    sun: Option<(Colour, f32)>,
    /// The share of each colour that the ground reflects.
    tint: Colour,
    has_stars: bool,
}

impl Light {
    pub(super) fn palette(self) -> Palette {
        let (top, horizon, sun, tint) = match self {
            Light::Day => (
                [70.0, 140.0, 202.0],
                [218.0, 236.0, 240.0],
                Some(([255.0, 250.0, 224.0], 0.2)),
                [1.0, 1.0, 1.0],
            ),
            Light::Dawn => (
                [104.0, 138.0, 190.0],
                [255.0, 214.0, 184.0],
                Some(([255.0, 240.0, 206.0], 0.42)),
                [0.92, 0.82, 0.84],
            ),
            Light::Dusk => (
                [46.0, 40.0, 98.0],
                [248.0, 150.0, 96.0],
                Some(([255.0, 214.0, 140.0], 0.47)),
                [0.56, 0.42, 0.52],
            ),
            Light::Night => (
                [7.0, 11.0, 34.0],
                [46.0, 62.0, 108.0],
                Some(([242.0, 240.0, 222.0], 0.22)),
                [0.22, 0.27, 0.42],
            ),
            Light::Grey => (
                [132.0, 146.0, 160.0],
                [212.0, 218.0, 222.0],
                None,
                [0.74, 0.78, 0.8],
            ),
        };
        Palette {
            top,
            horizon,
            sun,
            tint,
            has_stars: matches!(self, Light::Night),
        }
    }
}

impl Palette {
    /// Returns the colour of ground in this light. Ground at a depth of 0 is at the horizon, and at
    /// 1 before the viewer.
    fn ground(&self, colour: Colour, depth: f32) -> Colour {
        let lit = std::array::from_fn(|at| colour[at] * self.tint[at]);
        mix(self.horizon, lit, 0.45 + 0.55 * depth)
    }
}

/// Paints a landscape of this size in pixels. Equal words and seeds yield equal pictures.
pub(crate) fn paint(width: u32, height: u32, seed: u64, words: &str) -> RgbImage {
    let mut hasher = DefaultHasher::new();
    (seed, words).hash(&mut hasher);
    let mut rng = Rng::with_seed(hasher.finish());
    let words: Vec<String> = words
        .split(|letter: char| !letter.is_alphanumeric())
        .map(str::to_lowercase)
        .collect();
    let any_light = [Light::Day, Light::Day, Light::Dawn, Light::Dusk][rng.usize(..4)];
    let any_place = [
        Place::Sea,
        Place::Forest,
        Place::Mountains,
        Place::Desert,
        Place::Hills,
    ][rng.usize(..5)];
    let palette = first_known(&words, LIGHTS).unwrap_or(any_light).palette();
    let place = first_known(&words, PLACES).unwrap_or(any_place);
    let mut painter = Painter {
        picture: RgbImage::new(width, height),
        rng,
        palette,
    };
    match place {
        Place::Person => painter.person(0.0),
        _ => painter.sky(),
    }
    match place {
        Place::Sea => painter.sea(&words),
        Place::Forest => painter.forest(),
        Place::City => painter.city(),
        Place::Mountains => painter.mountains(),
        Place::Desert => painter.layers([226.0, 180.0, 112.0], 0.06),
        Place::Hills => painter.layers([104.0, 150.0, 74.0], 0.05),
        Place::Person => {}
    }
    painter.picture
}

/// Returns the meaning of the first word that is in a table, in the singular or the plural.
fn first_known<T: Copy>(words: &[String], table: &[(T, &str)]) -> Option<T> {
    words.iter().find_map(|word| {
        let singular = word.strip_suffix('s').unwrap_or(word);
        let is_known = |known: &str| known == word || known == singular;
        let (meaning, _) = table
            .iter()
            .find(|(_, known)| known.split(' ').any(is_known))?;
        Some(*meaning)
    })
}

pub(super) fn mix(one: Colour, other: Colour, share: f32) -> Colour {
    std::array::from_fn(|at| one[at] + (other[at] - one[at]) * share)
}

fn blend(below: u8, above: f32, cover: f32) -> u8 {
    let below = below as f32;
    (below + (above - below) * cover) as u8
}

/// A vertical gradient, and its opacity from 0 to 1.
#[derive(Clone, Copy)]
pub(super) struct Paint {
    pub(super) upper: Colour,
    pub(super) lower: Colour,
    pub(super) cover: f32,
}

impl Paint {
    pub(super) fn plain(colour: Colour) -> Self {
        Paint::gradient(colour, colour)
    }

    pub(super) fn gradient(upper: Colour, lower: Colour) -> Self {
        Paint {
            upper,
            lower,
            cover: 1.0,
        }
    }
}

/// A picture that is being painted. Its coordinates are shares of its height, from the left and
/// from the top.
pub(super) struct Painter {
    pub(super) picture: RgbImage,
    pub(super) rng: Rng,
    pub(super) palette: Palette,
}

/// The distance of the horizon from the top.
const HORIZON: f32 = 0.58;

impl Painter {
    pub(super) fn width(&self) -> f32 {
        self.picture.width() as f32 / self.picture.height() as f32
    }

    pub(super) fn between(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * self.rng.f32()
    }

    /// Fills the columns from `left` to `right`. `span` returns the upper and the lower end of a
    /// column, as distances from the top.
    pub(super) fn fill(
        &mut self,
        paint: Paint,
        left: f32,
        right: f32,
        span: impl Fn(f32) -> (f32, f32),
    ) {
        let (columns, rows) = self.picture.dimensions();
        let height = rows as f32;
        let Paint { upper, lower, .. } = paint;
        let first = (left * height).round().max(0.0) as u32;
        let last = ((right * height).round().max(0.0) as u32).min(columns);
        for x in first..last {
            let (top, bottom) = span((x as f32 + 0.5) / height);
            let top = top * height;
            let bottom = bottom * height;
            let last_row = (bottom.ceil().max(0.0) as u32).min(rows);
            let filled_height = bottom - top;
            for y in top.max(0.0) as u32..last_row {
                let row = y as f32;
                // A row at an edge is covered in part, so that edges look smooth.
                let is_edge = row < top || row + 1.0 > bottom;
                let cover = if is_edge {
                    paint.cover * (bottom.min(row + 1.0) - top.max(row)).clamp(0.0, 1.0)
                } else {
                    paint.cover
                };
                let share = if row < top {
                    0.0
                } else {
                    (row - top) / filled_height
                };
                // A loop over the channels takes several times as long without optimisation, and
                // tests run without it.
                let [red, green, blue] = &mut self.picture.get_pixel_mut(x, y).0;
                *red = blend(*red, upper[0] + (lower[0] - upper[0]) * share, cover);
                *green = blend(*green, upper[1] + (lower[1] - upper[1]) * share, cover);
                *blue = blend(*blue, upper[2] + (lower[2] - upper[2]) * share, cover);
            }
        }
    }

    /// Fills everything below a ridge.
    pub(super) fn below(&mut self, paint: Paint, ridge: impl Fn(f32) -> f32) {
        self.fill(paint, 0.0, self.width(), |x| (ridge(x), 1.0));
    }

    pub(super) fn ellipse(&mut self, paint: Paint, centre: (f32, f32), (across, down): (f32, f32)) {
        self.fill(paint, centre.0 - across, centre.0 + across, |x| {
            let reach = down * (1.0 - ((x - centre.0) / across).powi(2)).max(0.0).sqrt();
            (centre.1 - reach, centre.1 + reach)
        });
    }

    /// Returns a ridge of soft hills, with heights from -1 to 1.
    fn waves(&mut self) -> impl Fn(f32) -> f32 + use<> {
        let waves: [(f32, f32, f32); 3] = std::array::from_fn(|at| {
            let count = (at + 1) as f32;
            (
                self.between(0.5, 0.9) * count,
                self.between(0.0, TAU),
                0.55 / count,
            )
        });
        move |x| {
            waves
                .iter()
                .map(|(frequency, phase, size)| size * (x * frequency * TAU + phase).sin())
                .sum()
        }
    }

    fn sky(&mut self) {
        let top = self
            .palette
            .top
            .map(|channel| channel + self.rng.f32() * 24.0 - 12.0);
        let sky = Paint::gradient(top, self.palette.horizon);
        // Some ground begins below the horizon. The haze fills the gap between sky and ground.
        let haze = Paint::plain(self.palette.horizon);
        self.below(haze, |_| HORIZON - 0.02);
        self.fill(sky, 0.0, self.width(), |_| (0.0, HORIZON));
        if self.palette.has_stars {
            for _ in 0..90 {
                let at = (self.between(0.0, self.width()), self.between(0.0, HORIZON));
                let size = self.between(0.001, 0.003);
                self.ellipse(Paint::plain([220.0, 226.0, 244.0]), at, (size, size));
            }
        }
        if let Some((colour, down)) = self.palette.sun {
            let at = (self.sun_column(), down);
            for ring in (1..=7).rev() {
                let glow = Paint {
                    cover: 0.07,
                    ..Paint::plain(colour)
                };
                let size = 0.06 + 0.035 * ring as f32;
                self.ellipse(glow, at, (size, size));
            }
            self.ellipse(Paint::plain(colour), at, (0.06, 0.06));
        }
        for _ in 0..5 {
            let at = (self.between(0.0, self.width()), self.between(0.08, 0.4));
            let cloud = Paint {
                cover: 0.22,
                ..Paint::plain(mix(self.palette.horizon, [255.0; 3], 0.3))
            };
            for _ in 0..4 {
                let puff = (
                    at.0 + self.between(-0.12, 0.12),
                    at.1 + self.between(-0.012, 0.012),
                );
                let size = (self.between(0.08, 0.2), self.between(0.012, 0.026));
                self.ellipse(cloud, puff, size);
            }
        }
    }

    /// Returns the sun's distance from the left. The sea reflects the sun at this place.
    fn sun_column(&self) -> f32 {
        self.width() * 0.66
    }

    /// Paints four rows of hills or dunes.
    fn layers(&mut self, colour: Colour, steepness: f32) {
        for row in 0..4 {
            let depth = row as f32 / 3.0;
            let base = HORIZON - 0.02 + 0.11 * row as f32;
            let waves = self.waves();
            let upper = self.palette.ground(colour, depth);
            let lower = mix(upper, [0.0; 3], 0.35);
            self.below(Paint::gradient(upper, lower), |x| {
                base + steepness * waves(x)
            });
        }
    }

    fn mountains(&mut self) {
        for row in 0..3 {
            let depth = row as f32 / 3.0;
            let phase: [f32; 3] = std::array::from_fn(|_| self.rng.f32());
            let ridge = move |x: f32| {
                let tooth = |frequency: f32, at: usize| {
                    ((x * frequency + phase[at]).rem_euclid(1.0) * 2.0 - 1.0).abs()
                };
                0.3 + 0.12 * row as f32
                    + 0.2 * tooth(1.3, 0)
                    + 0.07 * tooth(3.7, 1)
                    + 0.02 * tooth(11.0, 2)
            };
            let rock = self.palette.ground([92.0, 104.0, 124.0], depth);
            let snow = self.palette.ground([250.0, 252.0, 255.0], depth);
            self.below(Paint::plain(rock), ridge);
            self.fill(Paint::gradient(snow, rock), 0.0, self.width(), |x| {
                (ridge(x), ridge(x) + 0.16)
            });
        }
        let waves = self.waves();
        let meadow = self.palette.ground([78.0, 112.0, 82.0], 1.0);
        let shade = mix(meadow, [0.0; 3], 0.4);
        self.below(Paint::gradient(meadow, shade), |x| 0.8 + 0.03 * waves(x));
    }

    fn forest(&mut self) {
        for row in 0..5 {
            let depth = row as f32 / 4.0;
            let base = HORIZON - 0.02 + 0.1 * row as f32;
            let across = 0.03 + 0.02 * depth;
            let waves = self.waves();
            let seed = self.rng.u32(..);
            let upper = self.palette.ground([62.0, 110.0, 78.0], depth);
            let lower = mix(upper, [0.0; 3], 0.45);
            self.below(Paint::gradient(upper, lower), |x| {
                let tree = (x / across).floor();
                let aside = ((x / across - tree) * 2.0 - 1.0).abs();
                let tall = (0.09 + 0.08 * depth) * (0.5 + 0.5 * scattered(tree as u32, seed));
                base + 0.03 * waves(x) - tall * (1.0 - aside)
            });
        }
    }

    fn city(&mut self) {
        for row in 0..3 {
            let depth = row as f32 / 2.0;
            let across = 0.07 + 0.03 * depth;
            let seed = self.rng.u32(..);
            let roof = move |house: u32| 0.28 + 0.14 * row as f32 + 0.26 * scattered(house, seed);
            let upper = self.palette.ground([96.0, 108.0, 130.0], depth);
            let lower = mix(upper, self.palette.horizon, 0.25);
            self.below(Paint::gradient(upper, lower), |x| roof((x / across) as u32));
            let lit = Paint {
                cover: 0.35 + 0.5 * depth,
                ..Paint::plain([255.0, 222.0, 150.0])
            };
            for house in 0..(self.width() / across).ceil() as u32 {
                for window in 0..60 {
                    let down = roof(house) + 0.03 + 0.03 * (window / 3) as f32;
                    let left = across * (house as f32 + 0.17 + 0.25 * (window % 3) as f32);
                    if down < 1.0 && self.rng.f32() < 0.4 {
                        self.fill(lit, left, left + across * 0.15, |_| (down, down + 0.014));
                    }
                }
            }
        }
    }

    fn sea(&mut self, words: &[String]) {
        let near = self.palette.ground([28.0, 94.0, 128.0], 1.0);
        let far = mix(self.palette.horizon, near, 0.35);
        self.below(Paint::gradient(far, near), |_| HORIZON);
        let shine = self
            .palette
            .sun
            .map_or(self.palette.horizon, |(colour, _)| colour);
        for line in 0..160 {
            // Waves are closer to each other at the horizon.
            let depth = (line as f32 / 160.0).powi(2);
            let down = HORIZON + 0.01 + (1.0 - HORIZON) * depth;
            let is_glitter = line % 2 == 0 && self.palette.sun.is_some();
            let (centre, reach) = if is_glitter {
                let reach = 0.03 + 0.2 * depth;
                (self.sun_column() + self.between(-reach, reach), 0.04)
            } else {
                (self.between(0.0, self.width()), 0.12)
            };
            let across = reach * (0.3 + depth) * self.between(0.4, 1.0);
            let wave = Paint {
                cover: if is_glitter { 0.55 } else { 0.16 },
                ..Paint::plain(shine)
            };
            self.ellipse(wave, (centre, down), (across, 0.0015 + 0.003 * depth));
        }
        let has = |word: &str| words.iter().any(|own| own == word);
        if has("lighthouse") {
            self.lighthouse();
        } else if has("boat") || has("ship") || has("sail") {
            self.boat();
        }
    }

    fn lighthouse(&mut self) {
        let at = self.width() * 0.3;
        let rock = self.palette.ground([66.0, 62.0, 64.0], 1.0);
        self.ellipse(Paint::plain(rock), (at, HORIZON + 0.05), (0.22, 0.08));
        let beam = [255.0, 236.0, 170.0];
        let light = Paint {
            cover: 0.3,
            ..Paint::plain(beam)
        };
        self.fill(light, at, self.width(), |x| {
            (0.2 - 0.12 * (x - at), 0.2 + 0.12 * (x - at))
        });
        for band in 0..6 {
            let is_red = band % 2 == 1;
            let colour = if is_red {
                [200.0, 60.0, 52.0]
            } else {
                [244.0, 240.0, 230.0]
            };
            let lit = mix(self.palette.ground(colour, 1.0), colour, 0.4);
            let top = 0.23 + 0.055 * band as f32;
            let half = 0.026 + 0.003 * band as f32;
            self.fill(Paint::plain(lit), at - half, at + half, |_| {
                (top, top + 0.056)
            });
        }
        self.fill(Paint::plain(beam), at - 0.02, at + 0.02, |_| (0.18, 0.23));
        self.fill(Paint::plain(rock), at - 0.03, at + 0.03, |x| {
            (0.15 + (x - at).abs(), 0.183)
        });
    }

    fn boat(&mut self) {
        let at = self.width() * 0.36;
        let water = HORIZON + 0.16;
        let sail = mix(self.palette.horizon, [255.0; 3], 0.6);
        let hull = self.palette.ground([150.0, 62.0, 46.0], 1.0);
        self.fill(Paint::plain(sail), at, at + 0.13, |x| {
            (water - 0.3 + 2.1 * (x - at), water - 0.02)
        });
        self.fill(Paint::plain(sail), at - 0.09, at - 0.008, |x| {
            (water - 0.24 - 2.4 * (x - at), water - 0.02)
        });
        self.fill(Paint::plain(hull), at - 0.13, at + 0.15, |x| {
            let bow = (x - at - 0.01).abs() / 0.14;
            (water, water + 0.055 * (1.0 - bow * bow))
        });
    }
}

/// Returns a number from 0 to 1 that depends only on the position and the seed.
fn scattered(position: u32, seed: u32) -> f32 {
    let mixed = (position ^ seed).wrapping_mul(0x9e37_79b1);
    let mixed = (mixed ^ (mixed >> 15)).wrapping_mul(0x85eb_ca77);
    (mixed >> 8) as f32 / (1 << 24) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The mean colour of the rows between two shares of the height.
    fn mean(picture: &RgbImage, from: f32, to: f32) -> Colour {
        let rows = picture.height() as f32;
        let pixels: Vec<_> = ((from * rows) as u32..(to * rows) as u32)
            .flat_map(|y| (0..picture.width()).map(move |x| picture.get_pixel(x, y).0))
            .collect();
        std::array::from_fn(|at| {
            pixels.iter().map(|pixel| f32::from(pixel[at])).sum::<f32>() / pixels.len() as f32
        })
    }

    #[test]
    fn words_choose_light_and_place() {
        let of = |words| paint(160, 120, 7, words);
        let brightness = |words| mean(&of(words), 0.0, 1.0).iter().sum::<f32>();
        assert!(brightness("a city at night") < 0.5 * brightness("a city by day"));
        let [red, _, blue] = mean(&of("the sea at dusk"), 0.5, 0.56);
        assert!(red > 1.3 * blue, "{red} {blue}");
        let [red, green, blue] = mean(&of("Forests, by day"), 0.8, 1.0);
        assert!(green > 1.2 * red && green > blue, "{red} {green} {blue}");
        let [red, _, blue] = mean(&of("the ocean by day"), 0.8, 1.0);
        assert!(blue > 1.3 * red, "{red} {blue}");
    }

    #[test]
    fn the_same_words_and_seed_paint_the_same_in_any_size() {
        let unknown = "qwerty";
        assert_eq!(paint(64, 48, 1, unknown), paint(64, 48, 1, unknown));
        assert_ne!(paint(64, 48, 1, unknown), paint(64, 48, 2, unknown));
        assert_ne!(paint(64, 48, 1, unknown), paint(64, 48, 1, "asdf"));
        for words in [
            "lighthouse",
            "boat",
            "forest",
            "city",
            "snow",
            "desert",
            "host",
        ] {
            for size in [(1, 1), (3, 200), (200, 3)] {
                assert_eq!(paint(size.0, size.1, 1, words).dimensions(), size);
            }
        }
    }
}
