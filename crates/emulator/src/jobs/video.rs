//! What is done to videos, without a model: simply, always the same way, and so that it can be seen.

use image::{DynamicImage, imageops::FilterType};
use mediagate_core::grammar::time;
use serde_json::Value;

use super::{Product, Products, file, noted, one, region};
use crate::{
    checks::Order,
    files::Content,
    media::{
        Failure, Region,
        ffmpeg::Ffmpeg,
        logo, picture, poster,
        video::{Patch, Video},
    },
};

fn video<'a>(order: &'a Order, field: &str, ffmpeg: &'a Ffmpeg) -> Result<Video<'a>, Failure> {
    Ok(Video { path: &file(order, field)?.path, ffmpeg })
}

/// Segments of one request; each is a run of its own.
const MOST_SEGMENTS: usize = 100;

/// Pictures of logos in one request; each is looked for at every place.
const MOST_LOGOS: usize = 10;

/// One video for each segment.
pub(super) fn split(order: &Order, ffmpeg: &Ffmpeg) -> Products {
    let video = video(order, "input_file_id", ffmpeg)?;
    let length = ffmpeg.seconds(video.path).ok_or_else(unmeasured)?;
    let segments = order.input.get("segments").and_then(Value::as_array).into_iter().flatten();
    let segments: Vec<(&str, &str)> = segments
        .map(|segment| {
            let at = |name| segment.get(name).and_then(Value::as_str).unwrap_or_default();
            (at("start_time"), at("end_time"))
        })
        .collect();
    if segments.len() > MOST_SEGMENTS {
        return Err(Failure::new(format!("more than {MOST_SEGMENTS} segments; ask for fewer")));
    }
    for (_, end) in &segments {
        // The last second counts as whole: a time has no fractions.
        if time::parse(end).is_some_and(|it| f64::from(it) > length.ceil()) {
            let message = format!("the segment until {end} is past the end of the video, which lasts {length:.1} s");
            return Err(Failure::new(message));
        }
    }
    let part = |(start, end)| Ok(Product { bytes: video.part(start, end)?, content: Content::MP4, note: None });
    segments.into_iter().map(part).collect()
}

/// Another size, in even numbers.
pub(super) fn resize(order: &Order, ffmpeg: &Ffmpeg) -> Products {
    let asked = |side| order.whole(side).and_then(|it| u32::try_from(it).ok()).unwrap_or_default();
    let even = |side| (asked(side) & !1).max(2); // H.264 has no odd sides
    let (width, height) = (even("width"), even("height"));
    let bytes = video(order, "input_file_id", ffmpeg)?.resized(width, height)?;
    if (width, height) == (asked("width"), asked("height")) {
        return one(bytes, Content::MP4);
    }
    noted(bytes, Content::MP4, format!("{width}x{height}: H.264 needs even sides"))
}

/// A sound in place of the video's own.
pub(super) fn add_audio(order: &Order, ffmpeg: &Ffmpeg) -> Products {
    let sound = file(order, "audio_file_id")?;
    one(video(order, "video_file_id", ffmpeg)?.with_sound(&sound.path)?, Content::MP4)
}

/// The region, or else where subtitles usually stand, filled from what surrounds it.
pub(super) fn remove_subtitles(order: &Order, ffmpeg: &Ffmpeg) -> Products {
    let video = video(order, "file_id", ffmpeg)?;
    let frame = video.frame(0.0)?;
    let (width, height) = (frame.width(), frame.height());
    let lowest_fifth = Region { x: width / 20, y: height * 4 / 5, width: width * 9 / 10, height: height * 9 / 50 };
    let patch = Patch::within(region(order).unwrap_or(lowest_fifth), width, height);
    let outside = || Failure::new(format!("the region is outside the video, which is {width}x{height}"));
    let patch = patch.ok_or_else(outside)?;
    let bytes = video.patched(&[patch])?;
    noted(bytes, Content::MP4, format!("{} was filled from its surroundings: no model ran", shown(patch.region)))
}

/// Times at which a logo is looked for: it may move from corner to corner.
const LOOKS: u32 = 8;

/// Every place where one of the pictures is found, filled from what surrounds it; without a picture, the upper right
/// corner, where a logo usually is.
pub(super) fn remove_logo(order: &Order, ffmpeg: &Ffmpeg) -> Products {
    let video = video(order, "input_video_file_id", ffmpeg)?;
    let first = video.frame(0.0)?;
    let (width, height) = (first.width(), first.height());
    let pictures = order.files.get("logo_file_id").map(Vec::as_slice).unwrap_or_default();
    if pictures.len() > MOST_LOGOS {
        return Err(Failure::new(format!("more than {MOST_LOGOS} logos; give fewer")));
    }
    let pictures = pictures.iter();
    let logos: Vec<_> = pictures.map(|it| sized(order, picture::open(&it.path)?, width)).collect::<Result<_, _>>()?;
    if logos.is_empty() {
        let corner = Region { x: width * 3 / 4, y: height / 40, width: width * 9 / 40, height: height / 8 };
        let patch = Patch::within(corner, width, height).ok_or_else(|| Failure::new("the video is too small"))?;
        let bytes = video.patched(&[patch])?;
        return noted(bytes, Content::MP4, format!("no logo was given: {} was filled instead", shown(patch.region)));
    }
    let patches = places(&video, &logos, first)?;
    if patches.is_empty() {
        return Err(Failure::new("the logo was not found in the video; give its picture in the size it has there"));
    }
    let bytes = video.patched(&patches)?;
    let all: Vec<String> = patches.iter().map(|it| shown(it.region)).collect();
    noted(bytes, Content::MP4, format!("filled from its surroundings: {}", all.join(", ")))
}

/// Where the logos are, looked for at even distances; each place counts from one look to the next.
fn places(video: &Video<'_>, logos: &[DynamicImage], first: DynamicImage) -> Result<Vec<Patch>, Failure> {
    let length = video.ffmpeg.seconds(video.path).ok_or_else(unmeasured)?;
    let step = length / f64::from(LOOKS);
    let mut patches: Vec<Patch> = Vec::new();
    for look in 0..LOOKS {
        let from = f64::from(look) * step;
        // The end of a video may have no frame of its own.
        let frame = if look == 0 { Ok(first.clone()) } else { video.frame(from) };
        let Ok(frame) = frame else { break };
        for logo in logos {
            let found = logo::find(&frame, logo).and_then(|it| Patch::within(it, frame.width(), frame.height()));
            let Some(found) = found else { continue };
            let during = (from, if look + 1 == LOOKS { f64::from(u32::MAX) } else { from + step });
            match patches.iter_mut().rev().find(|it| it.region == found.region) {
                Some(known) if known.during.is_some_and(|(_, until)| until == during.0) => {
                    known.during = known.during.map(|(since, _)| (since, during.1));
                }
                _ => patches.push(Patch { during: Some(during), ..found }),
            }
        }
    }
    Ok(patches)
}

/// A logo in the size that it has in the video, where `video_size` says of which size the logo is a part.
fn sized(order: &Order, logo: DynamicImage, width: u32) -> Result<DynamicImage, Failure> {
    let original = order.input.get("video_size").and_then(|it| it.get(0)).and_then(Value::as_f64);
    let scale = original.filter(|it| *it >= 1.0).map_or(1.0, |it| f64::from(width) / it);
    let side = |length: u32| ((f64::from(length) * scale).round() as u32).clamp(1, picture::LONGEST_SIDE);
    if scale == 1.0 {
        return Ok(logo);
    }
    Ok(logo.resize_exact(side(logo.width()), side(logo.height()), FilterType::Triangle))
}

/// Removing what words describe needs a model: the video is drawn upon instead, so that it can be told from its input.
pub(super) fn mark_object(order: &Order, ffmpeg: &Ffmpeg) -> Products {
    let video = video(order, "input_file_id", ffmpeg)?;
    let frame = video.frame(0.0)?;
    let text = format!("{}\nwithout: {}", order.model.id, order.text("prompt_text").unwrap_or_default());
    let banner = poster::banner(frame.width(), frame.height(), &text)?;
    noted(video.below(&banner.into())?, Content::MP4, "nothing was removed, the request is drawn on it: no model ran")
}

fn shown(Region { x, y, width, height }: Region) -> String {
    format!("{width}x{height} at {x},{y}")
}

fn unmeasured() -> Failure {
    Failure::new("the video is damaged: its length cannot be measured")
}
