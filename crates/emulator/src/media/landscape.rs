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

pub(super) const BLACK: Colour = [0.0; 3];
pub(super) const WHITE: Colour = [255.0; 3];

pub(super) struct Light {
    words: &'static [&'static str],
    /// The sky at the top.
    top: Colour,
    /// The sky at the horizon, into which distant ground fades.
    horizon: Colour,
    sun: Colour,
    /// The distance of the sun or the moon from the top. Beyond the horizon, it is not seen.
    sun_at: f32,
    /// The share of each colour that the ground reflects.
    tint: Colour,
}

pub(super) static LIGHTS: [Light; 5] = [
    Light {
        words: &[
            "day", "daylight", "noon", "summer", "sunny", "bright", "sky", "spring",
        ],
        top: [70.0, 140.0, 202.0],
        horizon: [218.0, 236.0, 240.0],
        sun: [255.0, 250.0, 224.0],
        sun_at: 0.2,
        tint: [1.0, 1.0, 1.0],
    },
    Light {
        words: &["dawn", "sunrise", "morning"],
        top: [104.0, 138.0, 190.0],
        horizon: [255.0, 214.0, 184.0],
        sun: [255.0, 240.0, 206.0],
        sun_at: 0.42,
        tint: [0.92, 0.82, 0.84],
    },
    Light {
        words: &["dusk", "sunset", "evening", "twilight"],
        top: [46.0, 40.0, 98.0],
        horizon: [248.0, 150.0, 96.0],
        sun: [255.0, 214.0, 140.0],
        sun_at: 0.47,
        tint: [0.56, 0.42, 0.52],
    },
    Light {
        words: &[
            "night",
            "midnight",
            "moon",
            "moonlight",
            "star",
            "dark",
            "neon",
            "galaxy",
        ],
        top: [7.0, 11.0, 34.0],
        horizon: [46.0, 62.0, 108.0],
        sun: [242.0, 240.0, 222.0],
        sun_at: 0.22,
        tint: [0.22, 0.27, 0.42],
    },
    Light {
        words: &[
            "rain", "rainy", "fog", "foggy", "mist", "misty", "storm", "stormy", "cloudy",
            "winter", "overcast",
        ],
        top: [132.0, 146.0, 160.0],
        horizon: [212.0, 218.0, 222.0],
        sun: [212.0, 218.0, 222.0],
        sun_at: 1.0,
        tint: [0.74, 0.78, 0.8],
    },
];

enum Place {
    Sea,
    Person,
    /// Ground of a colour, and a ridge: its height from -1 to 1 at a distance from the left, for
    /// three random numbers from 0 to 1.
    Land(Colour, fn(f32, [f32; 3]) -> f32),
}

/// The places, with the words that choose them. Without such a word, it is one of the first
/// [`ANYWHERE`].
static PLACES: [(&[&str], Place); 7] = [
    (
        &[
            "sea",
            "ocean",
            "water",
            "lake",
            "river",
            "beach",
            "coast",
            "wave",
            "boat",
            "ship",
            "sail",
            "lighthouse",
            "island",
            "harbour",
            "bay",
        ],
        Place::Sea,
    ),
    (
        &[
            "forest", "wood", "tree", "jungle", "pine", "park", "garden", "fox", "deer", "bear",
        ],
        Place::Land([62.0, 110.0, 78.0], trees),
    ),
    (
        &[
            "mountain", "alp", "peak", "snow", "snowy", "glacier", "cliff", "rock",
        ],
        Place::Land([112.0, 122.0, 140.0], peaks),
    ),
    (
        &["desert", "dune", "sand", "camel", "canyon", "mars"],
        Place::Land([226.0, 180.0, 112.0], hills),
    ),
    (
        &[
            "hill", "field", "meadow", "grass", "farm", "valley", "flower", "sheep", "cow", "horse",
        ],
        Place::Land([104.0, 150.0, 74.0], hills),
    ),
    (
        &[
            "city", "town", "street", "building", "skyline", "office", "tower", "traffic", "car",
            "bridge",
        ],
        Place::Land([96.0, 108.0, 130.0], roofs),
    ),
    (
        &[
            "person",
            "people",
            "host",
            "woman",
            "man",
            "girl",
            "boy",
            "child",
            "portrait",
            "face",
            "presenter",
            "singer",
            "speaker",
            "studio",
        ],
        Place::Person,
    ),
];

const ANYWHERE: usize = 5;

fn hills(x: f32, random: [f32; 3]) -> f32 {
    let wave = |at: usize| ((at as f32 + 0.5 + random[at]) * x * TAU + random[at] * TAU).sin();
    0.3 * (wave(0) + 0.5 * wave(1))
}

fn peaks(x: f32, random: [f32; 3]) -> f32 {
    let tooth =
        |frequency: f32, at: usize| ((x * frequency + random[at]).fract() * 2.0 - 1.0).abs();
    0.6 - 1.6 * tooth(1.3, 0) - 0.5 * tooth(3.7, 1) - 0.2 * tooth(11.0, 2)
}

fn trees(x: f32, random: [f32; 3]) -> f32 {
    let aside = ((x * 25.0).fract() * 2.0 - 1.0).abs();
    hills(x, random) + (0.4 + scattered((x * 25.0).floor(), random)) * (1.0 - aside)
}

fn roofs(x: f32, random: [f32; 3]) -> f32 {
    0.2 + 1.8 * scattered((x * 12.0).floor(), random)
}

/// Returns a number from 0 to 1 that depends on the position and the random numbers.
fn scattered(position: f32, random: [f32; 3]) -> f32 {
    ((position + 1.0) * (random[0] + 12.9898)).sin().abs() * 43_758.547 % 1.0
}

/// Paints a landscape of this size in pixels. Equal words and seeds yield equal pictures.
pub(crate) fn paint(width: u32, height: u32, seed: u64, words: &str) -> RgbImage {
    let mut painter = Painter::new(width, height, (seed, words), &LIGHTS[0]);
    let any_light = painter.rng.usize(..LIGHTS.len());
    let any_place = painter.rng.usize(..ANYWHERE);
    let light = first_known(words, LIGHTS.iter().map(|light| light.words));
    painter.light = &LIGHTS[light.unwrap_or(any_light)];
    let place = first_known(words, PLACES.iter().map(|(words, _)| *words));
    match &PLACES[place.unwrap_or(any_place)].1 {
        Place::Person => painter.person(0.0),
        Place::Sea => {
            painter.sky();
            painter.sea();
        }
        Place::Land(colour, ridge) => {
            painter.sky();
            painter.land(*colour, *ridge);
        }
    }
    painter.picture
}

/// Returns the index of the list that has the first of these words that a list has, in the singular
/// or the plural.
fn first_known<'a>(
    words: &str,
    lists: impl Iterator<Item = &'a [&'a str]> + Clone,
) -> Option<usize> {
    let words = words.split(|letter: char| !letter.is_alphanumeric());
    words.map(str::to_lowercase).find_map(|word| {
        let singular = word.strip_suffix('s').unwrap_or(&word);
        let is_known = |known: &&str| *known == word || *known == singular;
        lists.clone().position(|list| list.iter().any(is_known))
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
    upper: Colour,
    lower: Colour,
    cover: f32,
}

impl Paint {
    pub(super) fn plain(colour: Colour) -> Self {
        Paint::gradient(colour, colour)
    }

    pub(super) fn faint(colour: Colour, cover: f32) -> Self {
        Paint {
            cover,
            ..Paint::plain(colour)
        }
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
    light: &'static Light,
}

/// The distance of the horizon from the top.
const HORIZON: f32 = 0.58;

impl Painter {
    /// Starts a picture of this size in pixels. The random numbers depend on `seed`.
    pub(super) fn new(width: u32, height: u32, seed: impl Hash, light: &'static Light) -> Self {
        let mut hasher = DefaultHasher::new();
        seed.hash(&mut hasher);
        Painter {
            picture: RgbImage::new(width, height),
            rng: Rng::with_seed(hasher.finish()),
            light,
        }
    }

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
            for y in top.max(0.0) as u32..last_row {
                let row = y as f32;
                // A row at an edge is covered in part, so that edges look smooth.
                let cover = paint.cover * (bottom.min(row + 1.0) - top.max(row)).clamp(0.0, 1.0);
                let share = ((row - top) / (bottom - top)).max(0.0);
                // A loop over the channels takes several times as long without optimisation, and
                // tests run without it.
                let [red, green, blue] = &mut self.picture.get_pixel_mut(x, y).0;
                *red = blend(*red, upper[0] + (lower[0] - upper[0]) * share, cover);
                *green = blend(*green, upper[1] + (lower[1] - upper[1]) * share, cover);
                *blue = blend(*blue, upper[2] + (lower[2] - upper[2]) * share, cover);
            }
        }
    }

    pub(super) fn below(&mut self, paint: Paint, ridge: impl Fn(f32) -> f32) {
        self.fill(paint, 0.0, self.width(), |x| (ridge(x), 1.0));
    }

    pub(super) fn ellipse(&mut self, paint: Paint, centre: (f32, f32), (across, down): (f32, f32)) {
        self.fill(paint, centre.0 - across, centre.0 + across, |x| {
            let reach = down * (1.0 - ((x - centre.0) / across).powi(2)).max(0.0).sqrt();
            (centre.1 - reach, centre.1 + reach)
        });
    }

    fn sky(&mut self) {
        let sky = Paint::gradient(self.light.top, self.light.horizon);
        self.fill(sky, 0.0, self.width(), |_| (0.0, HORIZON));
        // Some ground begins below the horizon.
        self.below(Paint::plain(self.light.horizon), |_| HORIZON - 0.01);
        let sun = (self.sun_column(), self.light.sun_at);
        for ring in (0..8).rev() {
            let size = 0.06 + 0.035 * ring as f32;
            let cover = if ring == 0 { 1.0 } else { 0.07 };
            self.ellipse(Paint::faint(self.light.sun, cover), sun, (size, size));
        }
        let cloud = Paint::faint(mix(self.light.horizon, WHITE, 0.3), 0.22);
        for _ in 0..20 {
            let at = (self.between(0.0, self.width()), self.between(0.08, 0.4));
            let size = (self.between(0.08, 0.2), self.between(0.012, 0.026));
            self.ellipse(cloud, at, size);
        }
    }

    /// Returns the sun's distance from the left. The sea reflects the sun at this place.
    fn sun_column(&self) -> f32 {
        self.width() * 0.66
    }

    /// Returns a colour of the ground in this light. Ground at a depth of 0 is at the horizon, and
    /// at 1 before the viewer.
    fn ground(&self, colour: Colour, depth: f32) -> Colour {
        let lit = std::array::from_fn(|at| colour[at] * self.light.tint[at]);
        mix(self.light.horizon, lit, 0.45 + 0.55 * depth)
    }

    fn land(&mut self, colour: Colour, ridge: fn(f32, [f32; 3]) -> f32) {
        for row in 0..4 {
            let depth = row as f32 / 3.0;
            let base = HORIZON - 0.02 + 0.11 * row as f32;
            let random = std::array::from_fn(|_| self.rng.f32());
            let upper = self.ground(colour, depth);
            let lower = mix(upper, BLACK, 0.4);
            self.below(Paint::gradient(upper, lower), |x| {
                base - 0.14 * ridge(x, random)
            });
        }
    }

    fn sea(&mut self) {
        let near = self.ground([28.0, 94.0, 128.0], 1.0);
        let far = mix(self.light.horizon, near, 0.35);
        self.below(Paint::gradient(far, near), |_| HORIZON);
        for line in 0..160 {
            // Waves are closer to each other at the horizon.
            let depth = (line as f32 / 160.0).powi(2);
            let down = HORIZON + 0.01 + (1.0 - HORIZON) * depth;
            let (column, cover) = if line % 2 == 0 {
                let reach = 0.03 + 0.2 * depth;
                (self.sun_column() + self.between(-reach, reach), 0.55)
            } else {
                (self.between(0.0, self.width()), 0.16)
            };
            let across = (0.02 + 0.08 * depth) * self.between(0.4, 1.0);
            let wave = Paint::faint(self.light.sun, cover);
            self.ellipse(wave, (column, down), (across, 0.0015 + 0.003 * depth));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the mean colour of the rows between two shares of the height.
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
        for words in ["boat", "forest", "city", "snow", "desert", "host"] {
            for size in [(1, 1), (3, 200), (200, 3)] {
                assert_eq!(paint(size.0, size.1, 1, words).dimensions(), size);
            }
        }
    }
}
