//! What each capability does: the real thing where no model is needed, a drawing that says so where one is.

mod draw;
mod sound;
mod video;

use std::{fs::File, path::Path, sync::Arc};

use mediagate_core::{Group, grammar::pages};
use serde_json::Value;

use crate::{
    checks::Order,
    files::{Content, Stored},
    media::{Failure, Region, background, ffmpeg::Ffmpeg, head, pdf, picture, wav},
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
    /// The ffmpeg of this machine, or why there is none.
    pub(crate) ffmpeg: Result<Ffmpeg, Arc<str>>,
    pub(crate) seed: u64,
}

impl Tools {
    /// The ffmpeg, for what cannot be done without.
    fn ffmpeg(&self) -> Result<&Ffmpeg, Failure> {
        self.ffmpeg.as_ref().map_err(|missing| Failure::new(&**missing))
    }

    /// The length of a sound or a video: measured, or, without ffmpeg, as a WAV or MP4 file states it.
    pub(crate) fn seconds(&self, file: &Stored) -> Option<f64> {
        let video = || mediagate_clip::seconds(File::open(&file.path).ok()?).filter(|it| *it > 0.0);
        let stated = wav::seconds(&file.path).or_else(video);
        match &self.ffmpeg {
            // The last frame's own length is in the statement only.
            Ok(ffmpeg) => ffmpeg.seconds(&file.path).map(|it| it.max(stated.unwrap_or_default())),
            Err(_) => stated,
        }
    }
}

type Products = Result<Vec<Product>, Failure>;

const DRAWN: &str = "drawn by the emulator: no model ran";

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
        "background_removal" => {
            let picture = picture::open(&file(order, "file_id")?.path)?;
            one(picture::png(&background::remove(&picture, region(order)))?, Content::PNG)
        }
        "head_swap" => {
            let source = picture::open(&file(order, "source_image_file_id")?.path)?;
            let target = picture::open(&file(order, "target_head_image_file_id")?.path)?;
            one(picture::png(&head::swap(&source, &target))?, Content::PNG)
        }
        "adjust_audio_volume" => sound::adjust_volume(order, tools),
        "split_video" => video::split(order, tools.ffmpeg()?),
        "resize_video" => video::resize(order, tools.ffmpeg()?),
        "add_audio_to_video" => video::add_audio(order, tools.ffmpeg()?),
        "subtitle_removal" => video::remove_subtitles(order, tools.ffmpeg()?),
        "video_logo_removal" => video::remove_logo(order, tools.ffmpeg()?),
        "object_removal_by_prompt" => video::mark_object(order, tools.ffmpeg()?),
        _ => match (order.capability.group(), order.capability.medium()) {
            (Group::Generate, "image") => draw::picture(order, tools),
            (Group::Generate, _) => draw::film(order, tools),
            (Group::Process, _) => unchanged(order),
        },
    }
}

fn one(bytes: Vec<u8>, content: Content) -> Products {
    Ok(vec![Product { bytes, content, note: None }])
}

fn noted(bytes: Vec<u8>, content: Content, note: impl Into<String>) -> Products {
    Ok(vec![Product { bytes, content, note: Some(note.into()) }])
}

/// A capability that was added to the catalogue and has no work here yet.
fn unchanged(order: &Order) -> Products {
    let mut named = order.capability.fields().filter_map(|field| order.files.get(field.name)?.first());
    let file = named.next().ok_or_else(|| Failure::new("no file to process"))?;
    let bytes = std::fs::read(&file.path).map_err(|_| Failure::new("the input file is gone"))?;
    noted(bytes, file.content, "this is the input, unchanged: the emulator does not know this capability")
}

fn file<'a>(order: &'a Order, field: &str) -> Result<&'a Stored, Failure> {
    order.files.get(field).and_then(|it| it.first()).ok_or_else(|| Failure::new(format!("no file in {field}")))
}

fn region(order: &Order) -> Option<Region> {
    let region = order.input.get("region")?;
    let side = |name| region.get(name).and_then(Value::as_f64).map(|it| it as u32);
    Some(Region { x: side("x")?, y: side("y")?, width: side("width")?, height: side("height")? })
}
