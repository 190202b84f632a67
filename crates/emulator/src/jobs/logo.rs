use image::{DynamicImage, imageops::FilterType};
use serde_json::Value;

use super::{
    inputs::file,
    product::{JobResult, one_with_note},
    video::{describe, unmeasurable},
};
use crate::{
    command::CreateCommand,
    media::{Ffmpeg, MediaError, Patch, Region, Video, logo, picture},
    storage::Content,
};

/// The most logo images in one request. Each is compared at every position of a frame, which takes
/// long.
const MAX_LOGOS: usize = 10;

/// The number of frames that are searched, at equal intervals. A logo may move during the video.
const SAMPLES: u32 = 8;

pub(super) fn remove_logo(command: &CreateCommand, ffmpeg: &Ffmpeg) -> JobResult {
    let video = Video {
        path: &file(command, "input_video_file_id")?.path,
        ffmpeg,
    };
    let first = video.frame(0.0)?;
    let (width, height) = (first.width(), first.height());
    let images = command
        .files
        .get("logo_file_id")
        .map(Vec::as_slice)
        .unwrap_or_default();
    if images.len() > MAX_LOGOS {
        return Err(MediaError::of_input(format!(
            "more than {MAX_LOGOS} logos; give fewer"
        )));
    }
    let logos: Vec<_> = images
        .iter()
        .map(|image| scaled(command, picture::open(&image.path)?, width))
        .collect::<Result<_, _>>()?;
    if logos.is_empty() {
        let corner = Region::new(width * 3 / 4, height / 40, width * 9 / 40, height / 8);
        let patch = Patch::within(corner, width, height).ok_or_else(|| {
            MediaError::of_input("the video is too small for a corner to be filled")
        })?;
        let bytes = video.patched(&[patch])?;
        return one_with_note(
            bytes,
            Content::MP4,
            format!(
                "no logo was given: {} was filled instead",
                describe(patch.region)
            ),
        );
    }
    let patches = find_logos(&video, &logos, first)?;
    if patches.is_empty() {
        return Err(MediaError::LogoNotFound);
    }
    let bytes = video.patched(&patches)?;
    let all: Vec<String> = patches.iter().map(|patch| describe(patch.region)).collect();
    one_with_note(
        bytes,
        Content::MP4,
        format!("filled from its surroundings: {}", all.join(", ")),
    )
}

/// Searches for the logos in frames at equal intervals. A place that is found in one frame is
/// filled until the next of these frames.
fn find_logos(
    video: &Video<'_>,
    logos: &[DynamicImage],
    first: DynamicImage,
) -> Result<Vec<Patch>, MediaError> {
    let length = video.ffmpeg.seconds(video.path).ok_or_else(unmeasurable)?;
    let step = length / f64::from(SAMPLES);
    let mut patches: Vec<Patch> = Vec::new();
    for sample in 0..SAMPLES {
        let from = f64::from(sample) * step;
        // The audio may be longer than the picture, so there may be no frame near the end.
        let frame = match sample {
            0 => Ok(first.clone()),
            _ => video.frame(from),
        };
        let Ok(frame) = frame else { break };
        for logo in logos {
            let found = logo::find(&frame, logo)
                .and_then(|region| Patch::within(region, frame.width(), frame.height()));
            let Some(found) = found else { continue };
            // The measured length is rounded, so the last patch has no end.
            let until = match sample + 1 {
                SAMPLES => f64::from(u32::MAX),
                _ => from + step,
            };
            // A logo that stays in its place extends its patch: ffmpeg runs each patch as a filter.
            match patches
                .iter_mut()
                .rev()
                .find(|patch| patch.region == found.region)
            {
                Some(known) if known.during.is_some_and(|(_, end)| end == from) => {
                    known.during = known.during.map(|(since, _)| (since, until));
                }
                _ => patches.push(Patch {
                    during: Some((from, until)),
                    ..found
                }),
            }
        }
    }
    Ok(patches)
}

/// Scales a logo to its size in the video. The field `video_size` has the size of the video that
/// the logo was taken from (§4.3).
fn scaled(
    command: &CreateCommand,
    logo: DynamicImage,
    width: u32,
) -> Result<DynamicImage, MediaError> {
    let original = command
        .input
        .get("video_size")
        .and_then(|size| size.get(0))
        .and_then(Value::as_f64);
    let scale = original
        .filter(|original| *original >= 1.0)
        .map_or(1.0, |original| f64::from(width) / original);
    let side =
        |length: u32| ((f64::from(length) * scale).round() as u32).clamp(1, picture::MAX_SIDE);
    if scale == 1.0 {
        return Ok(logo);
    }
    Ok(logo.resize_exact(
        side(logo.width()),
        side(logo.height()),
        FilterType::Triangle,
    ))
}
