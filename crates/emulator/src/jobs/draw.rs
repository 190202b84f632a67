//! Draws images and videos that stand in for what a model would generate. They show the request.

use std::hash::{DefaultHasher, Hash, Hasher};

use mediagate_core::FileKind;

use super::{
    inputs::files_of,
    product::{JobResult, one_with_note},
};
use crate::{
    command::CreateCommand,
    media::{DrawnVideo, Tools, picture, poster},
    scene::DEFAULT_SECONDS,
    storage::Content,
};

/// The note of a drawn result.
const DRAWN: &str = "drawn by the emulator: no model ran";

/// The documented default of a side (§4.2).
const DEFAULT_SIDE: u32 = 1024;

/// An image of the requested size, 1024 x 1024 by default (§4.2).
pub(super) fn image(command: &CreateCommand, tools: &Tools) -> JobResult {
    let side = |name| {
        command
            .integer(name)
            .and_then(|it| u32::try_from(it).ok())
            .filter(|it| *it > 0)
            .unwrap_or(DEFAULT_SIDE)
            .min(picture::MAX_SIDE)
    };
    let (width, height, seed) = (side("width"), side("height"), seed(command, tools));
    let details = format!(
        "{DRAWN} · {} · {width} x {height} · seed {seed}",
        command.model.id
    );
    let poster = poster::draw(width, height, seed, &prompt(command), &details)?;
    one_with_note(picture::encode_png(&poster.into())?, Content::PNG, DRAWN)
}

/// Images of one video; further ones are ignored.
const MAX_STILLS: usize = 16;

/// A video that shows the images of the request, with its audio; without ffmpeg, small and silent.
pub(super) fn video(command: &CreateCommand, tools: &Tools) -> JobResult {
    let images = files_of(command, FileKind::Image).take(MAX_STILLS);
    let stills = images
        .map(|it| picture::open(&it.path))
        .collect::<Result<Vec<_>, _>>()?;
    let requested = command
        .text("aspect_ratio")
        .and_then(|it| it.split_once(':'));
    let requested =
        requested.and_then(|(wide, high)| Some((wide.parse().ok()?, high.parse().ok()?)));
    let aspect = match (requested, stills.first()) {
        (Some(aspect), _) => aspect,
        (None, Some(still)) => (still.width(), still.height()),
        (None, None) => (16, 9),
    };
    let (width, height) = size(command, aspect);
    let (seconds, seed) = (length(command, tools), seed(command, tools));
    let prompt = prompt(command);
    let caption = format!(
        "{} · {width} x {height} · {seconds} s · seed {seed}\n{prompt}",
        command.model.id
    );
    let video = DrawnVideo {
        stills,
        aspect,
        seconds,
        seed,
        prompt,
        caption,
    };
    let audio = files_of(command, FileKind::Audio)
        .next()
        .map(|it| it.path.as_path());
    match &tools.ffmpeg {
        Ok(ffmpeg) => one_with_note(
            video.encode(ffmpeg, (width, height), audio)?,
            Content::MP4,
            DRAWN,
        ),
        Err(missing) => one_with_note(
            video.encode_small()?,
            Content::MP4,
            format!("{DRAWN}; small and silent, as {missing}"),
        ),
    }
}

/// The size in pixels that `clarity` or `resolution` names, with this aspect ratio: the number is the shorter side,
/// where `2K` and `4K` stand for 1440 and 2160. Both sides are even.
fn size(command: &CreateCommand, (width, height): (u32, u32)) -> (u32, u32) {
    const MAX_SIDE: f64 = 3840.0;
    let label = command
        .text("clarity")
        .or_else(|| command.text("resolution"))
        .unwrap_or("480P");
    let shorter = match label {
        "2K" => 1440.0,
        "4K" => 2160.0,
        label => label.trim_end_matches(['p', 'P']).parse().unwrap_or(480.0),
    };
    let (width, height) = (f64::from(width.max(1)), f64::from(height.max(1)));
    let scale = (shorter / width.min(height)).min(MAX_SIDE / width.max(height));
    let side = |length: f64| ((length * scale).round() as u32).div_ceil(2).max(8) * 2;
    (side(width), side(height))
}

/// The length of a generated video in seconds: as requested, else as long as the longest audio, else the default.
fn length(command: &CreateCommand, tools: &Tools) -> u32 {
    const MAX_SECONDS: f64 = 600.0;
    let audio = || {
        files_of(command, FileKind::Audio)
            .filter_map(|it| tools.seconds(&it.path))
            .reduce(f64::max)
    };
    let requested = command
        .integer("duration_seconds")
        .filter(|it| *it > 0)
        .map(|it| it as f64);
    requested
        .or_else(audio)
        .unwrap_or(DEFAULT_SECONDS as f64)
        .ceil()
        .clamp(1.0, MAX_SECONDS) as u32
}

/// The prompt of the request, or else the capability's title.
fn prompt(command: &CreateCommand) -> String {
    let text = ["prompt", "prompt_text", "text", "persona"]
        .into_iter()
        .find_map(|it| command.text(it));
    text.unwrap_or(command.capability.title).into()
}

/// The seed of the request, or a hash of its prompt, so that the same request yields the same image.
fn seed(command: &CreateCommand, tools: &Tools) -> u64 {
    let requested = command
        .integer("seed")
        .and_then(|it| u64::try_from(it).ok());
    requested.unwrap_or_else(|| {
        let mut hasher = DefaultHasher::new();
        (tools.seed, prompt(command)).hash(&mut hasher);
        hasher.finish() % 1_000_000
    })
}
