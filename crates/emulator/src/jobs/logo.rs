//! Removes logos from videos (§4.3).

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

/// Logo images of one request: each is compared at every position of a frame.
const MAX_LOGOS: usize = 10;

/// Frames of a video that are searched, at equal distances: a logo may move.
const SAMPLES: u32 = 8;

/// Fills every place where one of the logo images is found from the pixels around it; without an image, the upper right
/// corner, where a logo usually is.
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
        return Err(MediaError::new(format!(
            "more than {MAX_LOGOS} logos; give fewer"
        )));
    }
    let logos: Vec<_> = images
        .iter()
        .map(|it| scaled(command, picture::open(&it.path)?, width))
        .collect::<Result<_, _>>()?;
    if logos.is_empty() {
        let corner = Region {
            x: width * 3 / 4,
            y: height / 40,
            width: width * 9 / 40,
            height: height / 8,
        };
        let patch = Patch::within(corner, width, height)
            .ok_or_else(|| MediaError::new("the video is too small"))?;
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
    let all: Vec<String> = patches.iter().map(|it| describe(it.region)).collect();
    one_with_note(
        bytes,
        Content::MP4,
        format!("filled from its surroundings: {}", all.join(", ")),
    )
}

/// Searches for the logos at equal distances of time. A place that is found lasts until the next sample.
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
        // There may be no frame at the end of a video.
        let frame = if sample == 0 {
            Ok(first.clone())
        } else {
            video.frame(from)
        };
        let Ok(frame) = frame else { break };
        for logo in logos {
            let found = logo::find(&frame, logo)
                .and_then(|it| Patch::within(it, frame.width(), frame.height()));
            let Some(found) = found else { continue };
            let during = (
                from,
                if sample + 1 == SAMPLES {
                    f64::from(u32::MAX)
                } else {
                    from + step
                },
            );
            match patches
                .iter_mut()
                .rev()
                .find(|it| it.region == found.region)
            {
                Some(known) if known.during.is_some_and(|(_, until)| until == during.0) => {
                    known.during = known.during.map(|(since, _)| (since, during.1));
                }
                _ => patches.push(Patch {
                    during: Some(during),
                    ..found
                }),
            }
        }
    }
    Ok(patches)
}

/// Scales a logo to the size that it has in the video: `video_size` is the size of the original video (§4.3).
fn scaled(
    command: &CreateCommand,
    logo: DynamicImage,
    width: u32,
) -> Result<DynamicImage, MediaError> {
    let original = command
        .input
        .get("video_size")
        .and_then(|it| it.get(0))
        .and_then(Value::as_f64);
    let scale = original
        .filter(|it| *it >= 1.0)
        .map_or(1.0, |it| f64::from(width) / it);
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
