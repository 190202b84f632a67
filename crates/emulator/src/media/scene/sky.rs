//! The sky of a scene, and what falls from it.

use std::fmt::Write;

use fastrand::Rng;

use super::{
    between,
    layout::{HORIZON, View},
    light::{Light, Weather},
};
use crate::media::colour::{WHITE, mix, written};

/// Returns the shapes of sun or moon and stars, in the units of a place.
pub(super) fn lights(light: &Light, view: &View, rng: &mut Rng) -> String {
    let mut shapes = String::new();
    let is_night = light.night >= 1.0;
    if is_night {
        for _ in 0..140 {
            let across = between(rng, 0.0, 1600.0);
            let down = between(rng, 0.0, 500.0);
            let size = between(rng, 0.6, 2.0);
            let cover = between(rng, 0.35, 0.95);
            let _ = write!(
                shapes,
                r##"<circle cx="{across:.1}" cy="{down:.1}" r="{size:.1}" fill="#fff8e6" fill-opacity="{cover:.2}"/>"##
            );
        }
    }
    let Some(height) = light.sun else {
        return shapes;
    };
    let side = if rng.bool() { 0.2 } else { 0.8 };
    let across = view.left + view.width * (side + between(rng, -0.06, 0.06));
    let down = HORIZON - (HORIZON - view.top) * height;
    let radius = if is_night { 44.0 } else { 52.0 };
    let colour = if is_night {
        "#f7f1dc".into()
    } else {
        written(mix(light.glow, WHITE, 0.35))
    };
    let halo = written(light.glow);
    let _ = write!(
        shapes,
        r##"<radialGradient id="scene-halo"><stop offset="0" stop-color="{halo}" stop-opacity=".75"/>
        <stop offset=".35" stop-color="{halo}" stop-opacity=".28"/>
        <stop offset="1" stop-color="{halo}" stop-opacity="0"/></radialGradient>
        <circle cx="{across:.1}" cy="{down:.1}" r="{:.1}" fill="url(#scene-halo)"/>
        <circle cx="{across:.1}" cy="{down:.1}" r="{radius}" fill="{colour}"/>"##,
        radius * 5.0
    );
    if is_night {
        for (x, y, size) in [(-14.0, -10.0, 9.0), (12.0, 12.0, 12.0), (16.0, -16.0, 6.0)] {
            let (x, y) = (across + x, down + y);
            let _ = write!(
                shapes,
                r##"<circle cx="{x:.1}" cy="{y:.1}" r="{size}" fill="#d9d2bb" fill-opacity=".55"/>"##
            );
        }
    }
    shapes
}

/// Returns an SVG image of clouds for a picture of this size in pixels. It is half as wide again.
pub(super) fn clouds(light: &Light, (width, height): (f32, f32), rng: &mut Rng) -> String {
    let colour = match light.weather {
        Weather::Rain => mix(light.sky_top, light.sky_low, 0.45),
        _ if light.night >= 1.0 => mix(light.sky_low, WHITE, 0.12),
        _ => mix(light.sky_low, WHITE, 0.65),
    };
    let (count, cover) = match light.weather {
        Weather::Fair if light.night >= 1.0 => (3, 0.35),
        Weather::Fair => (4, 0.85),
        _ => (7, 0.8),
    };
    let mut shapes = String::new();
    for index in 0..count {
        let size = between(rng, 0.045, 0.085) * height.min(1.4 * width);
        let across = 1.5 * width * (index as f32 + between(rng, 0.15, 0.85)) / count as f32;
        let down = height * between(rng, 0.07, 0.3);
        let _ = write!(
            shapes,
            r#"<g transform="translate({across:.1} {down:.1}) scale({size:.2})" fill="{}" opacity="{:.2}">
            <rect x="-1.5" y="-.42" width="3" height=".62" rx=".31"/><circle cx="-.62" cy="-.45" r=".5"/>
            <circle cx=".25" cy="-.62" r=".7"/><circle cx=".95" cy="-.3" r=".4"/></g>"#,
            written(colour),
            cover * between(rng, 0.7, 1.0),
        );
    }
    wrapped(&shapes, 1.5 * width, height)
}

/// Returns an SVG image of rain or snow, twice as high as the picture: its lower half repeats the
/// upper one. `None` if nothing falls.
pub(super) fn falling(light: &Light, (width, height): (f32, f32), rng: &mut Rng) -> Option<String> {
    let unit = width.min(height) / 100.0;
    let count = (90.0 * (width * height).sqrt() / (100.0 * unit)) as usize;
    let mut half = String::new();
    for _ in 0..count {
        let across = between(rng, 0.0, width);
        let down = between(rng, 0.0, height);
        let size = between(rng, 0.5, 1.0);
        match light.weather {
            Weather::Rain => {
                let (length, slope) = (5.0 * size * unit, 1.1 * size * unit);
                let thickness = 0.4 * size * unit;
                let _ = write!(
                    half,
                    r##"<path d="M{across:.1} {down:.1}l{:.1} {length:.1}" stroke="#eef4fa" stroke-width="{thickness:.2}" stroke-linecap="round" stroke-opacity=".45"/>"##,
                    -slope
                );
            }
            Weather::Snow => {
                let radius = 0.75 * size * size * unit;
                let _ = write!(
                    half,
                    r##"<circle cx="{across:.1}" cy="{down:.1}" r="{radius:.2}" fill="#fff" fill-opacity=".85"/>"##
                );
            }
            Weather::Fair | Weather::Fog => return None,
        }
    }
    let both = format!(r#"<g>{half}</g><g transform="translate(0 {height:.1})">{half}</g>"#);
    Some(wrapped(&both, width, 2.0 * height))
}

/// Returns an SVG image of light on water, for the part of a picture below the horizon. It is a
/// fifth wider than the picture.
pub(super) fn ripples(light: &Light, (width, height): (f32, f32), rng: &mut Rng) -> String {
    let colour = written(mix(light.sky_low, WHITE, 0.35));
    let mut shapes = String::new();
    for _ in 0..46 {
        // Waves are closer to each other at the horizon.
        let depth = rng.f32() * rng.f32();
        let across = between(rng, 0.0, 1.2 * width);
        let down = height * (0.03 + 0.97 * depth);
        let length = (0.025 + 0.09 * depth) * width.max(height) * between(rng, 0.5, 1.0);
        let thickness = (0.006 + 0.014 * depth) * height;
        let _ = write!(
            shapes,
            r#"<rect x="{across:.1}" y="{down:.1}" width="{length:.1}" height="{thickness:.1}" rx="{:.1}" fill-opacity="{:.2}"/>"#,
            thickness / 2.0,
            between(rng, 0.12, 0.4),
        );
    }
    let shapes = format!(r#"<g fill="{colour}">{shapes}</g>"#);
    wrapped(&shapes, 1.2 * width, height)
}

/// Returns an SVG image of mist, of this size in pixels.
pub(super) fn mist(light: &Light, (width, height): (f32, f32)) -> String {
    let colour = written(mix(light.sky_low, WHITE, 0.4));
    let mut shapes = format!(
        r##"<linearGradient id="m" x2="0" y2="1"><stop offset="0" stop-color="{colour}" stop-opacity="0"/>
        <stop offset=".5" stop-color="{colour}" stop-opacity=".7"/>
        <stop offset="1" stop-color="{colour}" stop-opacity="0"/></linearGradient>
        <rect width="{width:.1}" height="{height:.1}" fill="url(#m)"/>"##
    );
    for (across, down, length) in [(0.05, 0.36, 0.34), (0.5, 0.46, 0.4), (0.2, 0.58, 0.5)] {
        let thickness = 0.07 * height;
        let _ = write!(
            shapes,
            r#"<rect x="{:.1}" y="{:.1}" width="{:.1}" height="{thickness:.1}" rx="{:.1}" fill="{colour}" fill-opacity=".28"/>"#,
            across * width,
            down * height,
            length * width,
            thickness / 2.0,
        );
    }
    wrapped(&shapes, width, height)
}

pub(super) fn wrapped(shapes: &str, width: f32, height: f32) -> String {
    format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="{width:.1}" height="{height:.1}">{shapes}</svg>"#
    )
}
