//! What each capability does: the real thing where no model is needed, a drawing that says so where one is.

use std::{
    hash::{DefaultHasher, Hash, Hasher},
    io::Cursor,
    path::Path,
};

use mediagate_core::{
    Group, Media,
    grammar::{pages, time, volume, volume::Volume},
};
use serde_json::Value;

use crate::{
    checks::{self, Order},
    files::{Content, Stored},
    media::{
        Failure,
        background::{self, Region},
        ffmpeg::Ffmpeg,
        head, pdf, picture, poster,
        scene::Scene,
        wav,
    },
    models::DEFAULT_SECONDS,
};

/// A result.
#[derive(Debug)]
pub(crate) struct Product {
    pub(crate) bytes: Vec<u8>,
    pub(crate) content: Content,
    /// What it is not, where it is less than what was asked for.
    pub(crate) note: Option<String>,
}

/// What jobs need beside their order.
#[derive(Clone, Debug)]
pub(crate) struct Tools {
    pub(crate) ffmpeg: Option<Ffmpeg>,
    pub(crate) seed: u64,
}

type Products = Result<Vec<Product>, Failure>;

const DRAWN: &str = "drawn by the emulator: no model ran";
const NO_FFMPEG: &str = "this is the input, unchanged: the emulator found no ffmpeg on PATH";
const NOT_REMOVED: &str = "this is the input, unchanged: the emulator cannot remove anything from a video yet";

/// Does the work of an order. It may take seconds: call it where blocking is allowed.
pub(crate) fn run(order: &Order, tools: &Tools) -> Products {
    match order.capability.name() {
        "merge_pdf" => {
            let documents: Vec<&Path> = order.files.values().flatten().map(|it| it.path.as_path()).collect();
            one(pdf::merge(&documents)?, Content::PDF)
        }
        "split_pdf" => {
            let ranges = order.text("page_range").and_then(pages::parse).unwrap_or_default();
            one(pdf::split(&file(order, "input_file_id")?.path, &ranges)?, Content::PDF)
        }
        "adjust_audio_volume" => adjust_volume(order, tools),
        "background_removal" => {
            let picture = picture::open(&file(order, "file_id")?.path)?;
            one(picture::png(&background::remove(&picture, region(order)))?, Content::PNG)
        }
        "head_swap" => {
            let source = picture::open(&file(order, "source_image_file_id")?.path)?;
            let target = picture::open(&file(order, "target_head_image_file_id")?.path)?;
            one(picture::png(&head::swap(&source, &target))?, Content::PNG)
        }
        "split_video" => with_ffmpeg(order, tools, "input_file_id", split_video),
        "resize_video" => with_ffmpeg(order, tools, "input_file_id", resize_video),
        "add_audio_to_video" => with_ffmpeg(order, tools, "video_file_id", add_audio),
        _ => match (order.capability.group(), order.capability.medium()) {
            (Group::Generate, "image") => draw_picture(order, tools),
            (Group::Generate, _) => draw_clip(order, tools),
            (Group::Process, _) => unchanged(first_file(order)?, NOT_REMOVED),
        },
    }
}

fn one(bytes: Vec<u8>, content: Content) -> Products {
    Ok(vec![Product { bytes, content, note: None }])
}

fn drawn(bytes: Vec<u8>, content: Content) -> Products {
    Ok(vec![Product { bytes, content, note: Some(DRAWN.into()) }])
}

fn unchanged(file: &Stored, note: &str) -> Products {
    let bytes = std::fs::read(&file.path).map_err(|_| Failure::new("the input file is gone"))?;
    Ok(vec![Product { bytes, content: file.content, note: Some(note.into()) }])
}

fn file<'a>(order: &'a Order, field: &str) -> Result<&'a Stored, Failure> {
    order.files.get(field).and_then(|it| it.first()).ok_or_else(|| Failure::new(format!("no file in {field}")))
}

/// The first file that the request names, in the order of the capability's fields.
fn first_file(order: &Order) -> Result<&Stored, Failure> {
    let mut named = order.capability.fields().filter_map(|field| order.files.get(field.name)?.first());
    named.next().ok_or_else(|| Failure::new("no file to process"))
}

fn region(order: &Order) -> Option<Region> {
    let region = order.input.get("region")?;
    let side = |name| region.get(name).and_then(Value::as_f64).map(|it| it as u32);
    Some(Region { x: side("x")?, y: side("y")?, width: side("width")?, height: side("height")? })
}

fn adjust_volume(order: &Order, tools: &Tools) -> Products {
    let file = file(order, "input_file_id")?;
    let volume = order.text("volume").unwrap_or_default();
    if wav::is_wav(&file.path) {
        return one(wav::amplify(&file.path, factor(volume)?)?, Content::WAV);
    }
    let Some(ffmpeg) = &tools.ffmpeg else {
        return Err(Failure::new("without ffmpeg on PATH, the emulator changes the volume of WAV sounds only"));
    };
    let filter = format!("volume={volume}");
    let bytes = ffmpeg.run(&[&file.path], &["-vn", "-af", &filter], file.content.extension)?;
    one(bytes, file.content)
}

/// The factor that a volume expression means.
fn factor(expression: &str) -> Result<f64, Failure> {
    let number = |text: &str| text.parse::<f64>().ok().filter(|it| it.is_finite());
    let factor = match volume::parse(expression) {
        Some(Volume::Multiplier(text)) => number(text),
        Some(Volume::Decibels(text)) => number(text).map(|it| 10f64.powf(it / 20.0)),
        None => None,
    };
    factor.ok_or_else(|| Failure::new("the volume is neither a multiplier nor a decibel value"))
}

fn with_ffmpeg(order: &Order, tools: &Tools, field: &str, work: fn(&Order, &Stored, &Ffmpeg) -> Products) -> Products {
    let file = file(order, field)?;
    match &tools.ffmpeg {
        Some(ffmpeg) => work(order, file, ffmpeg),
        None => unchanged(file, NO_FFMPEG),
    }
}

/// What every browser plays, with its index first.
const PLAYABLE: [&str; 6] = ["-c:v", "libx264", "-pix_fmt", "yuv420p", "-movflags", "+faststart"];

fn split_video(order: &Order, video: &Stored, ffmpeg: &Ffmpeg) -> Products {
    let length = checks::seconds(video);
    let segments = order.input.get("segments").and_then(Value::as_array).into_iter().flatten();
    segments
        .map(|segment| {
            let at = |name| segment.get(name).and_then(Value::as_str).unwrap_or_default();
            let (start, end) = (at("start_time"), at("end_time"));
            if length.is_some_and(|it| time::parse(end).is_some_and(|end| f64::from(end) > it.ceil())) {
                return Err(Failure::new(format!("the segment until {end} is past the end of the video")));
            }
            let options = [&["-ss", start, "-to", end], PLAYABLE.as_slice()].concat();
            let bytes = ffmpeg.run(&[&video.path], &options, "mp4")?;
            if mediagate_clip::seconds(Cursor::new(&bytes)) == Some(0.0) {
                return Err(Failure::new(format!("nothing of the video is between {start} and {end}")));
            }
            Ok(Product { bytes, content: Content::MP4, note: None })
        })
        .collect()
}

fn resize_video(order: &Order, video: &Stored, ffmpeg: &Ffmpeg) -> Products {
    let even = |side| order.whole(side).map_or(2, |it| (it & !1).max(2)); // H.264 has no odd sides
    let (width, height) = (even("width"), even("height"));
    let filter = format!("scale={width}:{height},setsar=1");
    let bytes = ffmpeg.run(&[&video.path], &[&["-vf", &filter], PLAYABLE.as_slice()].concat(), "mp4")?;
    let rounded = order.whole("width") != Some(width) || order.whole("height") != Some(height);
    let note = rounded.then(|| format!("{width}x{height}: H.264 needs even sides"));
    Ok(vec![Product { bytes, content: Content::MP4, note }])
}

fn add_audio(order: &Order, video: &Stored, ffmpeg: &Ffmpeg) -> Products {
    let audio = file(order, "audio_file_id")?;
    // Silence follows a sound that is shorter than the video, so that the video is not cut.
    let options = ["-map", "0:v:0", "-map", "1:a:0", "-af", "apad", "-shortest", "-c:a", "aac"];
    let options = [options.as_slice(), PLAYABLE.as_slice()].concat();
    one(ffmpeg.run(&[&video.path, &audio.path], &options, "mp4")?, Content::MP4)
}

fn draw_picture(order: &Order, tools: &Tools) -> Products {
    let side =
        |name| order.whole(name).and_then(|it| u32::try_from(it).ok()).unwrap_or(1024).min(picture::LONGEST_SIDE);
    let (width, height, seed) = (side("width"), side("height"), seed(order, tools));
    let details = format!("{}\n{width} x {height}\nseed {seed}\n{DRAWN}", order.model.id);
    let poster = poster::draw(width, height, seed, &prompt(order), &details)?;
    drawn(picture::png(&poster.into())?, Content::PNG)
}

fn draw_clip(order: &Order, tools: &Tools) -> Products {
    let stills = order
        .files
        .values()
        .flatten()
        .filter(|it| it.content.media == Some(Media::Image))
        .map(|it| picture::open(&it.path))
        .collect::<Result<Vec<_>, _>>()?;
    let asked = order.text("aspect_ratio").and_then(|it| it.split_once(':'));
    let aspect = match (asked.and_then(|(wide, high)| Some((wide.parse().ok()?, high.parse().ok()?))), stills.first()) {
        (Some(aspect), _) => aspect,
        (None, Some(still)) => (still.width(), still.height()),
        (None, None) => (16, 9),
    };
    let seconds = length(order);
    let caption = format!("{}\n{} · {seconds} s", prompt(order), order.model.id);
    drawn(Scene { stills, aspect, seconds, seed: seed(order, tools), caption }.film()?, Content::MP4)
}

/// The seconds that a generated video lasts: as asked, as long as the sound that drives it, or the default.
fn length(order: &Order) -> u32 {
    const LONGEST: f64 = 600.0;
    let sound = || {
        let sounds = order.files.values().flatten().filter(|it| it.content.media == Some(Media::Audio));
        sounds.filter_map(checks::seconds).reduce(f64::max)
    };
    let asked = order.whole("duration_seconds").map(|it| it as f64);
    asked.or_else(sound).unwrap_or(DEFAULT_SECONDS as f64).ceil().clamp(1.0, LONGEST) as u32
}

/// What was asked for in words, or else the capability's name.
fn prompt(order: &Order) -> String {
    let said = ["prompt", "prompt_text", "text", "persona"].into_iter().find_map(|it| order.text(it));
    said.unwrap_or(order.capability.title).into()
}

/// The request's seed, or one that its words give, so that the same request yields the same picture.
fn seed(order: &Order, tools: &Tools) -> u64 {
    let asked = order.whole("seed").and_then(|it| u64::try_from(it).ok());
    asked.unwrap_or_else(|| {
        let mut hasher = DefaultHasher::new();
        (tools.seed, prompt(order)).hash(&mut hasher);
        hasher.finish() % 1_000_000
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_volume_is_a_factor() {
        assert_eq!(factor("0.5").unwrap(), 0.5);
        assert!((factor("-6dB").unwrap() - 0.501).abs() < 0.001);
        assert!((factor("+20dB").unwrap() - 10.0).abs() < 0.001);
        assert!(factor("loud").is_err());
    }
}
