//! Draws persons.

use std::hash::{DefaultHasher, Hash, Hasher};

use fastrand::Rng;
use image::{
    RgbImage,
    imageops::{self, FilterType},
};
use resvg::tiny_skia::Transform;

use super::{
    canvas::Canvas,
    colour::{BLACK, Colour, WHITE, hex, mix, written},
    error::MediaError,
};

/// How a person looks, as far as a word for the person says so.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Looks {
    Any,
    Woman,
    Man,
}

/// The side of the drawing of a person, in units.
const SIDE: f32 = 400.0;

/// Draws the avatar with this id before a wall. A `mouth` of 0 is closed, and of 1 is open.
pub(crate) fn paint(
    width: u32,
    height: u32,
    avatar: &str,
    mouth: f32,
) -> Result<RgbImage, MediaError> {
    let mut hasher = DefaultHasher::new();
    avatar.hash(&mut hasher);
    let seed = hasher.finish();
    let (upper, lower) = WALLS[(seed % WALLS.len() as u64) as usize];
    let mut canvas = Canvas::new(width, height)?;
    let (width, height) = (width as f32, height as f32);
    canvas.svg(&wall(upper, lower), Transform::from_scale(width, height))?;
    let scale = height / SIDE;
    let left = (width - height) / 2.0;
    let placed = Transform::from_row(scale, 0.0, 0.0, scale, left, 0.0);
    canvas.svg(&drawing(seed, Looks::Any, mouth), placed)?;
    canvas.into_rgb()
}

/// Draws a square picture for a list: the face and the shoulders.
pub(crate) fn thumbnail(avatar: &str) -> Result<RgbImage, MediaError> {
    const PIXELS: u32 = 176;
    let whole = paint(3 * PIXELS, 3 * PIXELS, avatar, 0.0)?;
    let face = imageops::crop_imm(&whole, PIXELS / 2, PIXELS / 3, 2 * PIXELS, 2 * PIXELS);
    let face = face.to_image();
    Ok(imageops::resize(
        &face,
        PIXELS,
        PIXELS,
        FilterType::Triangle,
    ))
}

const WALLS: [(Colour, Colour); 6] = [
    (hex(0xf4e3cf), hex(0xe2bf9c)),
    (hex(0xd9e9e0), hex(0x9fc7b4)),
    (hex(0xd7e6f3), hex(0x9cbddb)),
    (hex(0xf6d9d3), hex(0xe3a79c)),
    (hex(0xe4dcf1), hex(0xb7a4d8)),
    (hex(0xf7ecc6), hex(0xe8c977)),
];

const SKINS: [Colour; 5] = [
    hex(0xf7d3b8),
    hex(0xecbb94),
    hex(0xcf9468),
    hex(0xa06a48),
    hex(0x744a35),
];

const HAIR_COLOURS: [Colour; 6] = [
    hex(0x2b2124),
    hex(0x52352a),
    hex(0x8a5632),
    hex(0xc98f4a),
    hex(0xb0492c),
    hex(0x9b9a9c),
];

const SHIRTS: [Colour; 7] = [
    hex(0x2f6f8f),
    hex(0xd9603f),
    hex(0x4b8f63),
    hex(0x6a4f9c),
    hex(0xe0a63a),
    hex(0x34405f),
    hex(0xc24a6b),
];

/// Returns an SVG image of 1x1: a wall with a soft light.
pub(super) fn wall(upper: Colour, lower: Colour) -> String {
    let light = written(mix(upper, WHITE, 0.6));
    format!(
        r##"<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1">
        <linearGradient id="wall" x2="0" y2="1"><stop offset="0" stop-color="{}"/>
        <stop offset="1" stop-color="{}"/></linearGradient>
        <radialGradient id="light" cx=".5" cy=".38" r=".6"><stop offset="0" stop-color="{light}" stop-opacity=".8"/>
        <stop offset="1" stop-color="{light}" stop-opacity="0"/></radialGradient>
        <rect width="1" height="1" fill="url(#wall)"/><rect width="1" height="1" fill="url(#light)"/></svg>"##,
        written(upper),
        written(lower),
    )
}

/// Returns an SVG image of 400x400: a person to the chest, whom the seed chooses. The mouth is
/// between the rows 188 and 226.
pub(super) fn drawing(seed: u64, looks: Looks, mouth: f32) -> String {
    let mut rng = Rng::with_seed(seed);
    let complexion = rng.usize(..SKINS.len());
    let skin = SKINS[complexion];
    let hairs = if complexion < 3 {
        HAIR_COLOURS.len()
    } else {
        3
    };
    let hair = HAIR_COLOURS[rng.usize(..hairs)];
    let shirt = SHIRTS[rng.usize(..SHIRTS.len())];
    let style = match looks {
        Looks::Any => rng.usize(..4),
        Looks::Woman => rng.usize(1..4),
        Looks::Man => 0,
    };
    let has_glasses = rng.usize(..4) == 0;
    let has_beard = style == 0 && rng.bool();
    let is_jacket = rng.bool();
    let shade = written(mix(skin, hex(0x7a2f1c), 0.22));
    let blush = written(mix(skin, hex(0xe2574a), 0.45));
    let lip = written(mix(skin, hex(0xb03a3f), 0.62));
    let dark = written(mix(shirt, BLACK, 0.22));
    let deep = written(mix(hair, BLACK, 0.25));
    let brow = written(mix(hair, BLACK, 0.15));
    let (skin, hair, shirt) = (written(skin), written(hair), written(shirt));

    // Behind the head.
    let back = match style {
        1 => format!(
            r#"<path d="M124 160q-6-104 76-106q82 2 76 106q4 70 22 122q-98 26-196 0q18-52 22-122z" fill="{deep}"/>"#
        ),
        2 => format!(
            r#"<path d="M130 168q-10-112 70-114q80 2 70 114q2 34-8 62q-62 16-124 0q-10-28-8-62z" fill="{deep}"/>"#
        ),
        3 => format!(r#"<circle cx="200" cy="56" r="30" fill="{deep}"/>"#),
        _ => String::new(),
    };
    let clothes = if is_jacket {
        format!(
            r##"<path d="M48 400q4-92 76-112l52-20h48l52 20q72 20 76 112z" fill="{shirt}"/>
            <path d="M172 268l28 62l28-62l-28 10z" fill="#f6f2ea"/>
            <path d="M172 266l-24 24l34 52l18 58l-4-66zM228 266l24 24l-34 52l-18 58l4-66z" fill="{dark}"/>"##
        )
    } else {
        format!(
            r#"<path d="M48 400q4-92 76-112l46-18q30 34 60 0l46 18q72 20 76 112z" fill="{shirt}"/>
            <path d="M166 270q34 44 68 0l8 3q-42 58-84 0z" fill="{dark}"/>"#
        )
    };
    let fringe = match style {
        0 => format!(
            r#"<path d="M142 158q-10-98 60-100q68 2 56 100q-6-32-20-46q-46 12-78-8q-14 18-18 54z" fill="{hair}"/>"#
        ),
        1 => format!(
            r#"<path d="M136 200q-18-140 64-144q82 4 64 144q-2-66-38-94q-24 30-74 38q-14 22-16 56z" fill="{hair}"/>"#
        ),
        2 => format!(
            r#"<path d="M138 176q-12-116 62-118q74 2 62 118q-6-28-12-42q-50 8-100 0q-8 14-12 42z" fill="{hair}"/>"#
        ),
        _ => format!(
            r#"<path d="M142 156q-10-96 58-98q68 2 58 98q-8-44-58-48q-50 4-58 48z" fill="{hair}"/>"#
        ),
    };
    let beard = if has_beard {
        format!(
            r#"<path d="M144 170q4 76 56 76t56-76q-8 26-26 30q-30-12-60 0q-18-4-26-30z" fill="{hair}"/>"#
        )
    } else {
        String::new()
    };
    let glasses = if has_glasses {
        r##"<g fill="none" stroke="#39324a" stroke-width="3.4"><circle cx="178" cy="166" r="17"/>
        <circle cx="222" cy="166" r="17"/><path d="M195 164q5-4 10 0M161 163l-15-4M239 163l15-4"/></g>"##
    } else {
        ""
    };
    let mouth = if mouth <= 0.0 {
        format!(
            r#"<path d="M183 202q17 15 34 0" fill="none" stroke="{lip}" stroke-width="4.6" stroke-linecap="round"/>"#
        )
    } else {
        let across = 17.5 - 2.0 * mouth;
        let down = 3.2 + 8.6 * mouth;
        format!(
            r##"<ellipse cx="200" cy="207" rx="{:.1}" ry="{:.1}" fill="{lip}"/>
            <ellipse cx="200" cy="207" rx="{across:.1}" ry="{down:.1}" fill="#4a1a1e"/>"##,
            across + 2.6,
            down + 2.6
        )
    };
    format!(
        r##"<svg xmlns="http://www.w3.org/2000/svg" width="400" height="400" viewBox="0 0 400 400">{back}
        <path d="M172 216h56v62q-28 34-56 0z" fill="{shade}"/>{clothes}
        <ellipse cx="145" cy="172" rx="10" ry="15" fill="{shade}"/><ellipse cx="255" cy="172" rx="10" ry="15" fill="{shade}"/>
        <path d="M144 150q0-76 56-76t56 76q0 50-20 72q-18 18-36 18t-36-18q-20-22-20-72z" fill="{skin}"/>{beard}
        <circle cx="163" cy="192" r="11" fill="{blush}" opacity=".38"/><circle cx="237" cy="192" r="11" fill="{blush}" opacity=".38"/>
        <path d="M196 182q4 5 9 0" fill="none" stroke="{shade}" stroke-width="4" stroke-linecap="round"/>
        <ellipse cx="178" cy="166" rx="6" ry="7.2" fill="#2f2630"/><ellipse cx="222" cy="166" rx="6" ry="7.2" fill="#2f2630"/>
        <circle cx="180.4" cy="163.4" r="2" fill="#fff"/><circle cx="224.4" cy="163.4" r="2" fill="#fff"/>
        <path d="M166 148q11-8 22-2M212 146q11-6 22 2" fill="none" stroke="{brow}" stroke-width="4.6" stroke-linecap="round"/>
        {mouth}{fringe}{glasses}</svg>"##
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_chooses_the_person_and_speech_moves_only_the_mouth() {
        assert_eq!(thumbnail("ada").unwrap(), thumbnail("ada").unwrap());
        assert_ne!(thumbnail("ada").unwrap(), thumbnail("ben").unwrap());
        let closed = paint(200, 200, "ada", 0.0).unwrap();
        let open = paint(200, 200, "ada", 1.0).unwrap();
        let moved: Vec<u32> = (0..200)
            .filter(|y| (0..200).any(|x| closed.get_pixel(x, *y) != open.get_pixel(x, *y)))
            .collect();
        assert!(moved.len() > 8, "{moved:?}");
        assert!(moved.iter().all(|y| (94..114).contains(y)), "{moved:?}");
    }
}
