//! From what a caller gives to the body that is sent.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::rc::Rc;
use std::task::Poll;

use mediagate_core::text::{concat, cut, element};
use mediagate_core::{Capability, Issue, Kind, Media, Type, Value, validate};
use wasm_bindgen::JsValue;

use super::error::Error;
use super::host::Input;
use super::shared::Shared;
use super::uploads::Uploads;
use crate::given::{Given, Tokens};

/// Everything that is wrong with an input, the files in it included.
pub fn issues(capability: &Capability, input: &JsValue) -> Vec<Issue> {
    let input = Input::new(input);
    let text = input.text();
    all_wrong(capability, &Tokens::new(&text, input.numbers()).value())
}

fn all_wrong(capability: &Capability, input: &Given<'_>) -> Vec<Issue> {
    let mut issues = validate(capability, input);
    for field in capability.fields() {
        let (Kind::File(media) | Kind::Files(media) | Kind::FileOrFiles(media)) = field.kind else { continue };
        let Some(value) = input.get(field.name) else { continue };
        issues.extend(value.file().and_then(|it| wrong(media, it, || field.name.into())));
        if field.kind == Kind::File(media) {
            continue;
        }
        for (index, item) in value.items().iter().enumerate() {
            issues.extend(item.file().and_then(|it| wrong(media, it, || element(field.name, index))));
        }
    }
    issues
}

/// What is wrong with a file of this type and size, for a field of this medium.
fn wrong(media: Media, (content_type, size): (&str, f64), path: impl FnOnce() -> String) -> Option<Issue> {
    let (reason, message) = if size == 0.0 {
        ("empty", "is an empty file; give one with at least one byte".into())
    } else if !fits(media, content_type) {
        ("wrong_type", concat(&["is a file of another kind; give ", media.accept()]))
    } else {
        return None;
    };
    Some(Issue { path: path(), reason, message })
}

/// Whether a file of this type may hold the medium. One whose type says nothing passes, such as `application/*`; and a
/// sound may be in a file that is named after videos.
fn fits(media: Media, content_type: &str) -> bool {
    let kind = cut(content_type, b"/").0;
    match media {
        Media::Pdf => matches!(content_type, "" | "application/pdf" | "application/octet-stream"),
        Media::Image => !matches!(kind, "video" | "audio" | "text") && content_type != "application/pdf",
        Media::Video => !matches!(kind, "image" | "audio" | "text") && content_type != "application/pdf",
        Media::Audio => !matches!(kind, "image" | "text") && content_type != "application/pdf",
    }
}

/// Validates an input, uploads the files in it, several at once, and gives the body.
///
/// # Errors
/// `invalid_input` with all issues; those of an upload.
pub async fn prepare(uploads: &Rc<Uploads>, capability: &Capability, input: &JsValue) -> Result<JsValue, Error> {
    let input = Input::new(input);
    shape(capability, &input)?;
    let start = |file| Some(uploads.start(file, JsValue::UNDEFINED));
    let mut missing: Vec<Option<Shared>> = input.files().iter().map(start).collect();
    complete(&input, &mut missing).await?;
    Ok(input.body())
}

/// Refuses what is not valid, and makes a list of what is sent as one but may be given as a single value.
fn shape(capability: &Capability, input: &Input) -> Result<(), Error> {
    let text = input.text();
    let tokens = Tokens::new(&text, input.numbers());
    let given = tokens.value();
    let issues = all_wrong(capability, &given);
    if !issues.is_empty() {
        return Err(Error::invalid(&issues));
    }
    for field in capability.fields().filter(|it| matches!(it.kind, Kind::FileOrFiles(_))) {
        if given.get(field.name).is_some_and(|it| it.kind() != Type::List) {
            input.enlist(field.name);
        }
    }
    Ok(())
}

/// Puts the files' ids where the files were, once all are uploaded, and fails with the first that fails; the others are
/// then dropped, and so ended.
async fn complete(input: &Input, missing: &mut [Option<Shared>]) -> Result<(), Error> {
    poll_fn(|context| {
        for (index, upload) in (0..).zip(missing.iter_mut()) {
            match upload.as_mut().map(|it| Pin::new(it).poll(context)) {
                Some(Poll::Ready(id)) => {
                    input.place(index, &id?);
                    *upload = None;
                }
                Some(Poll::Pending) | None => {}
            }
        }
        if missing.iter().any(Option::is_some) { Poll::Pending } else { Poll::Ready(Ok(())) }
    })
    .await
}
