use std::hash::{DefaultHasher, Hash, Hasher};

use mediagate_core::FileKind;

use super::{
    inputs::files_of,
    product::{JobResult, one_with_note},
};
use crate::{
    command::CreateCommand,
    media::{DrawnVideo, Scene, Tools, picture},
    scene::DEFAULT_SECONDS,
    storage::Content,
};

const DRAWN: &str = "drawn, no model ran";

/// The documented default of width and height, in pixels (§4.2).
const DEFAULT_SIDE: u32 = 1024;

pub(super) fn image(command: &CreateCommand, tools: &Tools) -> JobResult {
    let width = command.side("width").unwrap_or(DEFAULT_SIDE);
    let width = width.min(picture::MAX_SIDE);
    let height = command.side("height").unwrap_or(DEFAULT_SIDE);
    let height = height.min(picture::MAX_SIDE);
    let seed = seed(command, tools);
    let picture = Scene::new(&prompt(command), seed).picture(width, height)?;
    let note = format!("{DRAWN}: seed {seed}");
    one_with_note(picture::encode_png(&picture.into())?, Content::PNG, note)
}

/// The most images that one video shows. Further images are ignored.
const MAX_STILLS: usize = 16;

/// Draws a video with the images of the request and its audio. Without ffmpeg, the video is small
/// and silent.
pub(super) fn video(command: &CreateCommand, tools: &Tools) -> JobResult {
    let images = files_of(command, FileKind::Image).take(MAX_STILLS);
    let stills = images
        .map(|file| picture::open(&file.path))
        .collect::<Result<Vec<_>, _>>()?;
    let aspect = match (requested_aspect(command), stills.first()) {
        (Some(aspect), _) => aspect,
        (None, Some(still)) => (still.width(), still.height()),
        (None, None) => (16, 9),
    };
    let (width, height) = size(command, aspect);
    let seconds = length(command, tools);
    let seed = seed(command, tools);
    let video = DrawnVideo {
        stills,
        aspect,
        seconds,
        seed,
        prompt: prompt(command),
        avatar: command.text("avatar_asset_id").map(str::to_owned),
    };
    let audio = files_of(command, FileKind::Audio)
        .next()
        .map(|file| file.path.as_path());
    match &tools.ffmpeg {
        Ok(ffmpeg) => {
            let bytes = video.encode(ffmpeg, (width, height), audio)?;
            let note = if video.is_of_scene() {
                format!("{DRAWN}: seed {seed}")
            } else {
                DRAWN.to_owned()
            };
            one_with_note(bytes, Content::MP4, note)
        }
        Err(missing) => one_with_note(
            video.encode_small()?,
            Content::MP4,
            format!("{DRAWN}: small and silent, as {missing}"),
        ),
    }
}

fn requested_aspect(command: &CreateCommand) -> Option<(u32, u32)> {
    let (wide, high) = command.text("aspect_ratio")?.split_once(':')?;
    Some((wide.parse().ok()?, high.parse().ok()?))
}

/// Returns the requested size in pixels. The label's number is the shorter side: 1440 for `2K`, and
/// 2160 for `4K`.
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
    // H.264 needs even sides.
    let side = |length: f64| ((length * scale).round() as u32).div_ceil(2).max(8) * 2;
    (side(width), side(height))
}

/// Returns the requested length in seconds, or else that of the longest audio, or else the default.
fn length(command: &CreateCommand, tools: &Tools) -> u32 {
    const MAX_SECONDS: f64 = 600.0;
    let seconds = match command.integer("duration_seconds") {
        Some(seconds) if seconds > 0 => seconds as f64,
        _ => files_of(command, FileKind::Audio)
            .filter_map(|file| tools.seconds(&file.path))
            .reduce(f64::max)
            .unwrap_or(DEFAULT_SECONDS as f64),
    };
    seconds.ceil().clamp(1.0, MAX_SECONDS) as u32
}

fn prompt(command: &CreateCommand) -> String {
    let text = ["prompt", "prompt_text", "text", "persona"]
        .into_iter()
        .find_map(|name| command.text(name));
    text.unwrap_or(command.capability.title).into()
}

/// Returns the requested seed, or else a hash of the prompt, so that a repeated request yields an
/// equal image.
fn seed(command: &CreateCommand, tools: &Tools) -> u64 {
    if let Some(seed) = command.integer("seed")
        && let Ok(seed) = u64::try_from(seed)
    {
        return seed;
    }
    let mut hasher = DefaultHasher::new();
    (tools.seed, prompt(command)).hash(&mut hasher);
    // Short enough to be read in a note.
    hasher.finish() % 1_000_000
}
