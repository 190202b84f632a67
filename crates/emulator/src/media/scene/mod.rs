//! Draws a scene that stands in for a generated picture. Words of the prompt choose its subjects,
//! its place and its light, and a hash of prompt and seed chooses everything else. A prompt that
//! names no subject and no place becomes a title card.

mod card;
mod compose;
mod layer;
mod layout;
mod light;
mod places;
mod prompt;
mod sky;
mod subjects;

use std::hash::{DefaultHasher, Hash, Hasher};

use fastrand::Rng;
use image::RgbImage;

pub(super) use self::layer::Layer;
use self::prompt::Reading;
use super::{canvas::Canvas, error::MediaError};

/// Something that a prompt can name.
pub(super) struct Subject {
    /// The name of the file of the drawing.
    #[cfg_attr(not(test), allow(dead_code, reason = "only tests read it"))]
    name: &'static str,
    /// The words that name the subject, in lower case and in the singular. An entry may consist of
    /// several words.
    words: &'static [&'static str],
    stands: Stands,
    /// The height of the drawing above its foot, as a share of the picture's height.
    height: f32,
    /// The place, if the prompt names none.
    place: Option<&'static str>,
    /// An SVG of 400x400, transparent, with the foot at (200, 380).
    drawing: &'static str,
}

/// The ground under a subject. It decides how the subject moves in a video.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Stands {
    Ground,
    Road,
    Water,
    Sky,
    Table,
}

/// A backdrop.
pub(super) struct Place {
    name: &'static str,
    words: &'static [&'static str],
    ground: Ground,
    /// An SVG of 1600x900 with the horizon at 560.
    drawing: &'static str,
}

/// The ground of a place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Ground {
    Land,
    Water,
    Indoors,
    /// No ground at all, as in the sky.
    Air,
}

/// A picture or a video that can be drawn in any size.
pub(crate) struct Scene {
    prompt: String,
    reading: Reading,
    hash: u64,
}

/// The most characters of a prompt that are read. No picture shows more.
const MAX_PROMPT_CHARACTERS: usize = 2_000;

impl Scene {
    pub(crate) fn new(prompt: &str, seed: u64) -> Self {
        let prompt: String = prompt.chars().take(MAX_PROMPT_CHARACTERS).collect();
        let mut hasher = DefaultHasher::new();
        (seed, &prompt).hash(&mut hasher);
        Scene {
            reading: prompt::read(&prompt),
            prompt,
            hash: hasher.finish(),
        }
    }

    /// Draws a picture of this size in pixels.
    pub(crate) fn picture(&self, width: u32, height: u32) -> Result<RgbImage, MediaError> {
        let mut canvas = Canvas::new(width, height)?;
        for layer in self.layers(width, height, 1.0)? {
            layer.draw(&mut canvas);
        }
        canvas.into_rgb()
    }

    /// Draws the layers of a video of this size, from the back to the front. The first is opaque,
    /// and `overscan` times as wide and as high as the video.
    pub(super) fn layers(
        &self,
        width: u32,
        height: u32,
        overscan: f32,
    ) -> Result<Vec<Layer>, MediaError> {
        let mut rng = Rng::with_seed(self.hash);
        if self.reading.is_scene() {
            compose::layers(&self.reading, &mut rng, (width, height), overscan)
        } else {
            card::layers(&self.prompt, &mut rng, (width, height), overscan)
        }
    }
}

fn between(rng: &mut Rng, low: f32, high: f32) -> f32 {
    low + (high - low) * rng.f32()
}

#[cfg(test)]
mod tests {
    use image::imageops;
    use mediagate_core::{AssetCategory, CAPABILITIES, FileKind, Group, Kind};

    use super::{light::LIGHTS, places::PLACES, subjects::SUBJECTS, *};

    fn drawn(prompt: &str, seed: u64, (width, height): (u32, u32)) -> RgbImage {
        Scene::new(prompt, seed).picture(width, height).unwrap()
    }

    fn brightness(picture: &RgbImage) -> f32 {
        let [red, green, blue] = mean(picture);
        red + green + blue
    }

    fn mean(picture: &RgbImage) -> [f32; 3] {
        let pixels = picture.pixels().len() as f32;
        std::array::from_fn(|channel| {
            let all = picture.pixels().map(|pixel| f32::from(pixel[channel]));
            all.sum::<f32>() / pixels
        })
    }

    #[test]
    fn every_drawing_is_valid_and_in_the_tables_once() {
        let mut names = Vec::new();
        for subject in SUBJECTS {
            names.push(subject.name);
            for light in LIGHTS {
                let drawing = light.fill(subject.drawing, None);
                assert!(!drawing.contains('{'), "{}", subject.name);
                let bounds = layout::Bounds::of(&drawing).unwrap();
                assert!(bounds.left < bounds.right, "{}", subject.name);
            }
            let home = subject.place;
            let is_known = |name: &str| PLACES.iter().any(|place| place.name == name);
            assert!(home.is_none_or(is_known), "{}: {home:?}", subject.name);
            assert!((0.2..0.9).contains(&subject.height), "{}", subject.name);
        }
        for place in PLACES {
            names.push(place.name);
            let has_sky = place.drawing.contains("<!--sky-->");
            let needs_sky = match place.ground {
                Ground::Land | Ground::Water => Some(true),
                Ground::Indoors => Some(false),
                Ground::Air => None,
            };
            assert!(
                needs_sky.is_none_or(|needs| needs == has_sky),
                "{}",
                place.name
            );
            drawn(place.words[0], 1, (32, 18));
        }
        names.sort_unstable();
        assert!(names.is_sorted_by(|one, other| one < other), "{names:?}");
    }

    #[test]
    fn the_light_and_the_place_are_those_of_the_prompt() {
        let of = |prompt| drawn(prompt, 7, (160, 120));
        let day = of("the sea by day");
        assert!(brightness(&of("the sea at night")) < 0.5 * brightness(&day));
        let [red, _, blue] = mean(&imageops::crop_imm(&day, 0, 90, 160, 30).to_image());
        assert!(blue > 1.3 * red, "{red} {blue}");
        let dusk = of("the sea at dusk");
        let [red, _, blue] = mean(&imageops::crop_imm(&dusk, 0, 60, 160, 12).to_image());
        assert!(red > 1.3 * blue, "{red} {blue}");
    }

    #[test]
    fn the_prompt_and_the_seed_choose_the_same_picture_in_every_size() {
        for prompt in [
            "a lighthouse",
            "a host",
            "qwerty",
            "two boats in the rain",
            "灯台",
        ] {
            let square = |seed| drawn(prompt, seed, (64, 64));
            assert_eq!(square(1), square(1), "{prompt}");
            assert_ne!(square(1), square(2), "{prompt}");
            for size in [(1, 1), (3, 200), (200, 3)] {
                assert_eq!(drawn(prompt, 1, size).dimensions(), size);
            }
        }
        assert_ne!(drawn("a cat", 1, (64, 64)), drawn("a dog", 1, (64, 64)));
    }

    #[test]
    fn the_examples_of_the_catalogue_can_be_drawn() {
        let mut drawn = 0;
        for capability in CAPABILITIES {
            let is_drawn = capability.group() == Group::Generate
                && !capability.fields().any(|field| {
                    field.required
                        && matches!(
                            field.kind,
                            Kind::File(FileKind::Image) | Kind::Asset(AssetCategory::Avatar)
                        )
                });
            let Some(prompt) = capability.field("prompt").filter(|_| is_drawn) else {
                continue;
            };
            let example: String = serde_json::from_str(prompt.example_json()).unwrap();
            assert!(!prompt::read(&example).mentions.is_empty(), "{example}");
            drawn += 1;
        }
        assert_eq!(drawn, 4);
        for bundled in [
            "a friendly host in a bright studio, looking at the camera",
            "a paper boat on a lake",
            "Welcome to our shop.",
        ] {
            assert!(!prompt::read(bundled).mentions.is_empty(), "{bundled}");
        }
    }
}
