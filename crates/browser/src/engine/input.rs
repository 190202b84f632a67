//! From what a caller gives to the body that is sent.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::rc::Rc;
use std::task::Poll;

use js_sys::{Array, Object};
use mediagate_core::text::{concat, cut};
use mediagate_core::{Capability, Issue, Kind, Media, Type, Value, validate};
use wasm_bindgen::JsValue;

use super::error::Error;
use super::host;
use super::shared::Shared;
use super::uploads::{Uploads, blob};
use crate::value::Js;

/// A request on its way: the body so far, and the uploads whose ids it still lacks.
struct Draft<'a> {
    uploads: &'a Rc<Uploads>,
    missing: Vec<Missing>,
}

/// An id to be set into an object or a list.
struct Missing {
    target: JsValue,
    name: String,
    upload: Shared,
}

/// Everything that is wrong with an input, the files in it included.
pub fn issues(capability: &Capability, input: &Js) -> Vec<Issue> {
    let mut issues = validate(capability, input);
    for field in capability.fields() {
        let (Kind::File(media) | Kind::Files(media) | Kind::FileOrFiles(media)) = field.kind else { continue };
        let Some(value) = input.get(field.name) else { continue };
        check(media, &value, field.name.into(), &mut issues);
        for (index, item) in value.items().iter().enumerate().filter(|_| field.kind != Kind::File(media)) {
            let index = host::stringify(&JsValue::from(index)).ok().and_then(|it| it.as_string());
            check(media, item, concat(&[field.name, "[", &index.unwrap_or_default(), "]"]), &mut issues);
        }
    }
    issues
}

/// Adds what is wrong with a file for a field of this medium.
fn check(media: Media, value: &Js, path: String, issues: &mut Vec<Issue>) {
    let Some(blob) = blob(value) else { return };
    if blob.size() == 0.0 {
        issues.push(Issue {
            path,
            reason: "empty",
            message: "is an empty file; give one with at least one byte".into(),
        });
    } else if !fits(media, &blob.type_()) {
        let message = concat(&["is a file of another kind; give ", media.accept()]);
        issues.push(Issue { path, reason: "wrong_type", message });
    }
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
pub async fn prepare(uploads: &Rc<Uploads>, capability: &Capability, input: &Js) -> Result<JsValue, Error> {
    let issues = issues(capability, input);
    if !issues.is_empty() {
        return Err(Error::invalid(&issues));
    }
    let mut draft = Draft { uploads, missing: Vec::new() };
    let body = Object::new();
    for field in capability.fields() {
        let Some(value) = input.get(field.name) else { continue };
        let value = match field.kind {
            Kind::FileOrFiles(_) if value.kind() != Type::List => Js(Array::of1(&value.0).into()),
            _ => value,
        };
        draft.set(&body, field.name, &value);
    }
    draft.complete().await?;
    Ok(body.into())
}

impl Draft<'_> {
    fn set(&mut self, target: &JsValue, name: &str, value: &Js) {
        if let Some(blob) = blob(value) {
            let upload = self.uploads.start(blob, JsValue::UNDEFINED);
            self.missing.push(Missing { target: target.clone(), name: name.into(), upload });
        } else if value.items().iter().any(|it| it.kind() == Type::Blob) {
            self.set_list(target, name, value);
        } else {
            host::set(target, name, &value.0);
        }
    }

    fn set_list(&mut self, target: &JsValue, name: &str, value: &Js) {
        let list: JsValue = value.items().into_iter().map(|it| it.0).collect::<Array>().into();
        host::set(target, name, &list);
        for index in host::keys(&list).unwrap_or_default().iter().filter_map(|it| it.as_string()) {
            if let Some(item) = Js(list.clone()).get(&index)
                && item.kind() == Type::Blob
            {
                self.set(&list, &index, &item);
            }
        }
    }

    /// Waits for all uploads, and fails with the first that fails; the others are then dropped, and so ended.
    async fn complete(mut self) -> Result<(), Error> {
        poll_fn(|context| {
            let mut pending = false;
            for Missing { target, name, upload } in &mut self.missing {
                match Pin::new(upload).poll(context) {
                    Poll::Ready(Ok(id)) => drop(host::set(target, name, &id)),
                    Poll::Ready(Err(error)) => return Poll::Ready(Err(error)),
                    Poll::Pending => pending = true,
                }
            }
            if pending { Poll::Pending } else { Poll::Ready(Ok(())) }
        })
        .await
    }
}
