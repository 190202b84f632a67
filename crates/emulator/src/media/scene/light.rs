//! The light of a scene, which colours its drawings.

use crate::media::colour::{Colour, WHITE, hex, mix, parsed, written};

#[derive(Clone, Copy)]
pub(super) struct Light {
    pub(super) words: &'static [&'static str],
    pub(super) sky_top: Colour,
    pub(super) sky_low: Colour,
    pub(super) ground: Colour,
    /// The ground at the horizon.
    pub(super) ground_far: Colour,
    /// The colour of what shines, such as a lit window.
    pub(super) glow: Colour,
    /// The share of each colour that the things of the scene reflect.
    tint: [f32; 3],
    /// How dark it is, from 0 to 1. Lamps are lit as much.
    pub(super) night: f32,
    /// The height of the sun or the moon, as a share of the sky above the horizon. `None` if it
    /// cannot be seen.
    pub(super) sun: Option<f32>,
    pub(super) weather: Weather,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Weather {
    Fair,
    Rain,
    Snow,
    Fog,
}

pub(super) static DAY: Light = Light {
    words: &["day", "daylight", "noon", "summer", "sunny", "sunlight"],
    sky_top: hex(0x58aeea),
    sky_low: hex(0xdcf2fb),
    ground: hex(0x8cc063),
    ground_far: hex(0xb5d79c),
    glow: hex(0xfff3c9),
    tint: [1.0, 1.0, 1.0],
    night: 0.0,
    sun: Some(0.7),
    weather: Weather::Fair,
};

pub(super) static LIGHTS: [&Light; 7] = [
    &DAY,
    &Light {
        words: &["dawn", "sunrise", "morning", "daybreak"],
        sky_top: hex(0x7ea6dd),
        sky_low: hex(0xffdcc4),
        ground: hex(0x92ad6d),
        ground_far: hex(0xd2c1a6),
        glow: hex(0xfff1c2),
        tint: [1.0, 0.91, 0.87],
        night: 0.2,
        sun: Some(0.18),
        ..DAY
    },
    &Light {
        words: &["dusk", "sunset", "evening", "twilight", "golden hour"],
        sky_top: hex(0x3d3478),
        sky_low: hex(0xffa06c),
        ground: hex(0x5a5e53),
        ground_far: hex(0x97707a),
        glow: hex(0xffd684),
        tint: [0.82, 0.64, 0.68],
        night: 0.85,
        sun: Some(0.1),
        ..DAY
    },
    &Light {
        words: &[
            "night",
            "midnight",
            "moon",
            "moonlight",
            "moonlit",
            "starry",
            "dark",
            "neon",
        ],
        sky_top: hex(0x0c1538),
        sky_low: hex(0x3b518c),
        ground: hex(0x22394c),
        ground_far: hex(0x314a70),
        glow: hex(0xffdc8f),
        tint: [0.44, 0.5, 0.72],
        night: 1.0,
        sun: Some(0.75),
        ..DAY
    },
    &Light {
        words: &["rain", "rainy", "raining", "storm", "stormy", "umbrella"],
        sky_top: hex(0x74889b),
        sky_low: hex(0xbfcbd2),
        ground: hex(0x6d8f69),
        ground_far: hex(0x9cb0a8),
        glow: hex(0xffe3a3),
        tint: [0.76, 0.81, 0.86],
        night: 0.4,
        sun: None,
        weather: Weather::Rain,
    },
    &Light {
        words: &[
            "snow",
            "snowy",
            "snowing",
            "winter",
            "blizzard",
            "christmas",
        ],
        sky_top: hex(0x9db7cf),
        sky_low: hex(0xe9f1f6),
        ground: hex(0xf3f7fa),
        ground_far: hex(0xd9e5ee),
        glow: hex(0xffe6ad),
        tint: [0.9, 0.94, 1.0],
        night: 0.3,
        sun: None,
        weather: Weather::Snow,
    },
    &Light {
        words: &["fog", "foggy", "mist", "misty", "cloudy", "overcast"],
        sky_top: hex(0xa9bac6),
        sky_low: hex(0xe2e8ea),
        ground: hex(0x93aa8e),
        ground_far: hex(0xc6d2cd),
        glow: hex(0xfff0c8),
        tint: [0.88, 0.91, 0.93],
        night: 0.3,
        sun: None,
        weather: Weather::Fog,
    },
];

/// The walls of rooms: the upper and the lower colour, and the floor.
pub(super) static WALLS: [[Colour; 3]; 5] = [
    [hex(0xf6e7d3), hex(0xead0b2), hex(0xb98a60)],
    [hex(0xdfe9dc), hex(0xc3d5bf), hex(0xb08a66)],
    [hex(0xd9e8f2), hex(0xb9d2e4), hex(0xa98763)],
    [hex(0xf7dcd6), hex(0xecc0b6), hex(0xb38262)],
    [hex(0xe5def0), hex(0xcdc1e2), hex(0xa48368)],
];

impl Light {
    /// Returns this light in a room with these walls.
    pub(super) fn indoors(&self, [upper, lower, floor]: [Colour; 3]) -> Self {
        // Lamps are lit at night, so a room is never as dark as the world outside.
        let warm = [1.0, 0.9, 0.8];
        let lamp = 0.55 * self.night;
        let tint: [f32; 3] =
            std::array::from_fn(|at| self.tint[at] + (warm[at] - self.tint[at]) * lamp);
        let room = Light { tint, ..*self };
        Light {
            sky_top: room.lit(upper),
            sky_low: room.lit(lower),
            ground: room.lit(floor),
            ground_far: room.lit(mix(lower, [0.0; 3], 0.14)),
            sun: None,
            weather: Weather::Fair,
            ..room
        }
    }

    /// Returns this time of the day in another weather.
    pub(super) fn in_weather(&self, weather: &Light) -> Self {
        // The clouds take some of the colours of the sky.
        let grey = |colour, cloudy| mix(colour, self.lit(cloudy), 0.35);
        let is_white = weather.weather == Weather::Snow;
        let ground = |colour, other| if is_white { self.lit(other) } else { colour };
        Light {
            sky_top: grey(self.sky_top, weather.sky_top),
            sky_low: grey(self.sky_low, weather.sky_low),
            ground: ground(self.ground, weather.ground),
            ground_far: ground(self.ground_far, weather.ground_far),
            night: self.night.max(weather.night),
            sun: self.sun.filter(|_| self.night >= 1.0 && is_white),
            weather: weather.weather,
            ..*self
        }
    }

    /// Returns this light as it falls on the things in the foreground, which are seen more clearly
    /// than the place.
    pub(super) fn in_front(&self) -> Self {
        Light {
            tint: self.tint.map(|share| share + 0.28 * (1.0 - share)),
            ..*self
        }
    }

    /// Returns this light with another sky.
    pub(super) fn with_sky(self, sky_top: Colour, sky_low: Colour) -> Self {
        Light {
            sky_top,
            sky_low,
            ..self
        }
    }

    /// Returns a colour as it looks in this light.
    pub(super) fn lit(&self, colour: Colour) -> Colour {
        std::array::from_fn(|at| colour[at] * self.tint[at])
    }

    /// Colours an SVG: each literal colour is lit, and each placeholder such as `{glow}` replaced.
    /// `colour` replaces the default of `{colour:#rrggbb}`.
    pub(super) fn fill(&self, drawing: &str, colour: Option<Colour>) -> String {
        let mut filled = String::with_capacity(drawing.len() + 256);
        let mut rest = drawing;
        while let Some(at) = rest.find(['{', '#']) {
            let (before, from) = rest.split_at(at);
            filled.push_str(before);
            let end = from.find('}').filter(|_| from.starts_with('{'));
            if let Some(end) = end {
                filled.push_str(&self.placeholder(&from[1..end], colour));
                rest = &from[end + 1..];
                continue;
            }
            let digits = from[1..]
                .find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '-')
                .unwrap_or(from.len() - 1);
            // A reference such as `url(#boat-hull)` is no colour.
            let is_reference = before.ends_with('(') || before.ends_with("href=\"");
            match parsed(&from[1..=digits]).filter(|_| !is_reference) {
                Some(literal) => filled.push_str(&written(self.lit(literal))),
                None => filled.push_str(&from[..=digits]),
            }
            rest = &from[digits + 1..];
        }
        filled.push_str(rest);
        filled
    }

    fn placeholder(&self, name: &str, colour: Option<Colour>) -> String {
        match name {
            "sky-top" => written(self.sky_top),
            "sky-low" => written(self.sky_low),
            "ground" => written(self.ground),
            "ground-far" => written(self.ground_far),
            "glow" => written(self.glow),
            "night" => self.night.to_string(),
            _ => {
                let default = name.split_once('#').and_then(|(_, digits)| parsed(digits));
                written(self.lit(colour.or(default).unwrap_or(WHITE)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_lit_and_placeholders_and_references_are_kept_apart() {
        let half = Light {
            tint: [0.5; 3],
            ..DAY
        };
        let svg = r##"<a fill="#fff"/><b fill="url(#add)" href="#add-1"/><c stop-color="#ff8000"/>
            <d fill="{glow}" opacity="{night}"/><e fill="{colour:#204060}"/>"##;
        let expected = r##"<a fill="#808080"/><b fill="url(#add)" href="#add-1"/><c stop-color="#804000"/>
            <d fill="#fff3c9" opacity="0"/><e fill="#102030"/>"##;
        assert_eq!(half.fill(svg, None), expected);
        let red = half.fill("{colour:#204060}", Some(hex(0xff0000)));
        assert_eq!(red, "#800000");
    }
}
