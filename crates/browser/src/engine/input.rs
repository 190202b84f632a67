//! From a caller's input to the body of a request: validation, and the uploads of its files.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::rc::Rc;
use std::task::Poll;

use mediagate_core::text::{concat, cut, element};
use mediagate_core::{Capability, FileKind, Issue, Kind, Type, Value, validate};
use wasm_bindgen::JsValue;

use super::error::Error;
use super::shared::Shared;
use super::uploads::Uploads;
use crate::host::Input;
use crate::input_view::{InputView, Tokens};

/// All issues of an input, those of its files included; empty for a valid one.
pub fn issues(capability: &Capability, input: &JsValue) -> Vec<Issue> {
    let input = Input::new(input);
    let text = input.text();
    all_issues(capability, &Tokens::new(&text, input.numbers()).value())
}

fn all_issues(capability: &Capability, input: &InputView<'_>) -> Vec<Issue> {
    let mut issues = validate(capability, input);
    for field in capability.fields() {
        let (Kind::File(media) | Kind::Files(media) | Kind::FileOrFiles(media)) = field.kind else { continue };
        let Some(value) = input.get(field.name) else { continue };
        issues.extend(value.file().and_then(|it| file_issue(media, it, || field.name.into())));
        if field.kind == Kind::File(media) {
            continue;
        }
        for (index, item) in value.items().iter().enumerate() {
            issues.extend(item.file().and_then(|it| file_issue(media, it, || element(field.name, index))));
        }
    }
    issues
}

/// The issue of a file of this media type and size in bytes, in a field for this medium; `None` for a valid one.
fn file_issue(media: FileKind, (content_type, size): (&str, f64), path: impl FnOnce() -> String) -> Option<Issue> {
    let (reason, message) = if size == 0.0 {
        ("empty", "is an empty file; give one with at least one byte".into())
    } else if !fits(media, content_type) {
        ("wrong_type", concat(&["is a file of another kind; give ", media.accept()]))
    } else {
        return None;
    };
    Some(Issue { path: path(), reason, message })
}

/// Whether a file of this media type may hold the medium. An unspecific type passes, such as `application/*`; and a file
/// with the type of a video may hold a sound alone.
fn fits(media: FileKind, content_type: &str) -> bool {
    let kind = cut(content_type, b"/").0;
    match media {
        FileKind::Pdf => matches!(content_type, "" | "application/pdf" | "application/octet-stream"),
        FileKind::Image => !matches!(kind, "video" | "audio" | "text") && content_type != "application/pdf",
        FileKind::Video => !matches!(kind, "image" | "audio" | "text") && content_type != "application/pdf",
        FileKind::Audio => !matches!(kind, "image" | "text") && content_type != "application/pdf",
    }
}

/// Validates an input, uploads the files in it at the same time, and returns the body with their ids.
///
/// # Errors
/// `invalid_input` with all issues, before any upload; those of an upload.
pub async fn prepare(uploads: &Rc<Uploads>, capability: &Capability, input: &JsValue) -> Result<JsValue, Error> {
    let input = Input::new(input);
    check(capability, &input)?;
    let start = |file| Some(uploads.start(file, JsValue::UNDEFINED));
    let mut running: Vec<Option<Shared>> = input.files().iter().map(start).collect();
    complete(&input, &mut running).await?;
    Ok(input.body())
}

/// Fails for an input that is not valid. Wraps a single value in a list, in fields that accept both and are sent as lists.
fn check(capability: &Capability, input: &Input) -> Result<(), Error> {
    let text = input.text();
    let tokens = Tokens::new(&text, input.numbers());
    let view = tokens.value();
    let issues = all_issues(capability, &view);
    if !issues.is_empty() {
        return Err(Error::invalid(&issues));
    }
    for field in capability.fields().filter(|it| matches!(it.kind, Kind::FileOrFiles(_))) {
        if view.get(field.name).is_some_and(|it| it.kind() != Type::List) {
            input.wrap_in_list(field.name);
        }
    }
    Ok(())
}

/// Waits for all uploads and replaces the files by their ids. Fails with the first upload that fails; the others are then
/// dropped, which aborts them.
async fn complete(input: &Input, running: &mut [Option<Shared>]) -> Result<(), Error> {
    poll_fn(|context| {
        for (index, upload) in (0..).zip(running.iter_mut()) {
            match upload.as_mut().map(|it| Pin::new(it).poll(context)) {
                Some(Poll::Ready(id)) => {
                    input.replace_file(index, &id?);
                    *upload = None;
                }
                Some(Poll::Pending) | None => {}
            }
        }
        if running.iter().any(Option::is_some) { Poll::Pending } else { Poll::Ready(Ok(())) }
    })
    .await
}
