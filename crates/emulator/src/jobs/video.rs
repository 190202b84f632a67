use serde_json::Value;

use super::{
    inputs::{file, region},
    product::{JobResult, Product, one, one_with_note},
};
use crate::{
    command::{CreateCommand, seconds},
    media::{Ffmpeg, MediaError, Patch, Region, Video, label},
    storage::Content,
};

fn video<'a>(
    command: &'a CreateCommand,
    field: &str,
    ffmpeg: &'a Ffmpeg,
) -> Result<Video<'a>, MediaError> {
    Ok(Video {
        path: &file(command, field)?.path,
        ffmpeg,
    })
}

/// The largest number of segments in one request. ffmpeg runs once for each.
const MAX_SEGMENTS: usize = 100;

pub(super) fn split(command: &CreateCommand, ffmpeg: &Ffmpeg) -> JobResult {
    let video = video(command, "input_file_id", ffmpeg)?;
    let length = ffmpeg.seconds(video.path).ok_or_else(unmeasurable)?;
    let segments = command.input.get("segments").and_then(Value::as_array);
    let segments: Vec<(u32, u32)> = (segments.into_iter().flatten())
        .map(|segment| (time(&segment["start_time"]), time(&segment["end_time"])))
        .collect();
    if segments.len() > MAX_SEGMENTS {
        return Err(MediaError::of_input(format!(
            "more than {MAX_SEGMENTS} segments; request fewer"
        )));
    }
    for (start, end) in &segments {
        if start == end {
            return Err(MediaError::of_input(
                "a segment ends where it starts; give it a length",
            ));
        }
        // Times are whole seconds, so a segment may end within the video's last, partial second.
        if f64::from(*end) > length.ceil() {
            return Err(MediaError::SegmentPastEnd(*end, length));
        }
    }
    let mut products = Vec::new();
    for (start, end) in segments {
        products.push(Product {
            bytes: video.segment(start, end)?,
            content: Content::MP4,
            note: None,
        });
    }
    Ok(products)
}

fn time(value: &Value) -> u32 {
    value.as_str().and_then(seconds).unwrap_or_default()
}

/// Resizes a video. H.264 needs even sides, so odd sides are rounded down, and a note says so.
pub(super) fn resize(command: &CreateCommand, ffmpeg: &Ffmpeg) -> JobResult {
    let (Some(wanted_width), Some(wanted_height)) = (command.side("width"), command.side("height"))
    else {
        return Err(MediaError::of_input(
            "a side is not positive; give a width and a height from 1",
        ));
    };
    let width = (wanted_width & !1).max(2);
    let height = (wanted_height & !1).max(2);
    let bytes = video(command, "input_file_id", ffmpeg)?.resized(width, height)?;
    if (width, height) == (wanted_width, wanted_height) {
        return one(bytes, Content::MP4);
    }
    one_with_note(
        bytes,
        Content::MP4,
        format!("{width}x{height}: H.264 needs even sides"),
    )
}

pub(super) fn add_audio(command: &CreateCommand, ffmpeg: &Ffmpeg) -> JobResult {
    let audio = file(command, "audio_file_id")?;
    one(
        video(command, "video_file_id", ffmpeg)?.with_audio(&audio.path)?,
        Content::MP4,
    )
}

pub(super) fn remove_subtitles(command: &CreateCommand, ffmpeg: &Ffmpeg) -> JobResult {
    let video = video(command, "file_id", ffmpeg)?;
    let frame = video.frame(0.0)?;
    let (width, height) = (frame.width(), frame.height());
    let lowest_fifth = Region::new(width / 20, height * 4 / 5, width * 9 / 10, height * 9 / 50);
    let patch = Patch::within(region(command).unwrap_or(lowest_fifth), width, height);
    let patch = patch.ok_or(MediaError::RegionOutside(width, height))?;
    let bytes = video.patched(&[patch])?;
    one_with_note(
        bytes,
        Content::MP4,
        format!(
            "{} was filled from its surroundings: no model ran",
            describe(patch.region)
        ),
    )
}

/// Labels the video with the prompt. Removing an object by its description needs a model, and the
/// result must differ from its input.
pub(super) fn mark_object(command: &CreateCommand, ffmpeg: &Ffmpeg) -> JobResult {
    let video = video(command, "input_file_id", ffmpeg)?;
    let frame = video.frame(0.0)?;
    let object = command.text("prompt_text").unwrap_or_default();
    let label = label::draw(frame.width(), frame.height(), &format!("without {object}"))?;
    one_with_note(
        video.with_label(&label)?,
        Content::MP4,
        "nothing was removed, a label names the object: no model ran",
    )
}

/// Writes a region as notes do, such as `80x20 at 10,100`.
pub(super) fn describe(region: Region) -> String {
    let Region { x, y, .. } = region;
    format!("{}x{} at {x},{y}", region.width, region.height)
}

pub(super) fn unmeasurable() -> MediaError {
    MediaError::of_input("the video is damaged: its length cannot be measured")
}
