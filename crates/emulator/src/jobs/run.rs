use std::path::Path;

use mediagate_core::{Capability, Group};

use super::{
    audio, draw,
    inputs::{file, region},
    logo,
    product::{JobResult, one, one_with_note},
    video,
};
use crate::{
    command::CreateCommand,
    media::{Ffmpeg, MediaError, Tools, background, head, pdf, picture},
    storage::Content,
};

/// Does the work of a command (§4.2, §4.3). This may take minutes, so it must run on a thread that
/// may block. Fails if media cannot be processed, or if the capability needs ffmpeg and there is
/// none.
pub(crate) fn run(command: &CreateCommand, tools: &Tools) -> JobResult {
    if needs_ffmpeg(command.capability) {
        return process_video(command, tools.ffmpeg()?);
    }
    match command.capability.name() {
        "merge_pdf" => {
            let documents: Vec<&Path> = command
                .files
                .values()
                .flatten()
                .map(|file| file.path.as_path())
                .collect();
            one(pdf::merge(&documents)?, Content::PDF)
        }
        "split_pdf" => {
            let range = command.text("page_range").unwrap_or_default();
            one(
                pdf::split(&file(command, "input_file_id")?.path, range)?,
                Content::PDF,
            )
        }
        "background_removal" => {
            let picture = picture::open(&file(command, "file_id")?.path)?;
            one(
                picture::encode_png(&background::remove(&picture, region(command)))?,
                Content::PNG,
            )
        }
        "head_swap" => {
            let source = picture::open(&file(command, "source_image_file_id")?.path)?;
            let target = picture::open(&file(command, "target_head_image_file_id")?.path)?;
            one(
                picture::encode_png(&head::swap(&source, &target))?,
                Content::PNG,
            )
        }
        "adjust_audio_volume" => audio::adjust_volume(command, tools),
        _ => match (command.capability.group(), command.capability.medium()) {
            (Group::Generate, "image") => draw::image(command, tools),
            (Group::Generate, _) => draw::video(command, tools),
            (Group::Process, _) => unchanged(command),
        },
    }
}

/// Returns true if no request of a capability can be served without ffmpeg.
pub(crate) fn needs_ffmpeg(capability: &Capability) -> bool {
    (capability.group(), capability.medium()) == (Group::Process, "video")
}

fn process_video(command: &CreateCommand, ffmpeg: &Ffmpeg) -> JobResult {
    match command.capability.name() {
        "split_video" => video::split(command, ffmpeg),
        "resize_video" => video::resize(command, ffmpeg),
        "add_audio_to_video" => video::add_audio(command, ffmpeg),
        "subtitle_removal" => video::remove_subtitles(command, ffmpeg),
        "video_logo_removal" => logo::remove_logo(command, ffmpeg),
        "object_removal_by_prompt" => video::mark_object(command, ffmpeg),
        _ => unchanged(command),
    }
}

/// Returns the input of a capability that has no job here yet.
fn unchanged(command: &CreateCommand) -> JobResult {
    let mut files = command
        .capability
        .fields()
        .filter_map(|field| command.files.get(field.name)?.first());
    let file = files
        .next()
        .ok_or_else(|| MediaError::new("no file to process"))?;
    let bytes = std::fs::read(&file.path).map_err(|_| MediaError::new("the input file is gone"))?;
    one_with_note(
        bytes,
        file.content,
        "this is the input, unchanged: the emulator does not implement this capability",
    )
}
