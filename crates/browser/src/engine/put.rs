//! The bytes' way to the storage: straight from the blob, never through wasm memory.

use gloo_net::http::Method;
use js_sys::Object;
use mediagate_core::Expects;
use mediagate_core::answer::{Answer, read};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::Blob;

use super::error::{Error, code};
use super::host::{self, Xhr};
use super::http::{self, Reply};
use crate::value::Js;

/// Aborts its upload when it is dropped; after the end, that does nothing.
struct Guard(Xhr);

impl Drop for Guard {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Puts a blob to a URL, with its progress where the platform tells it. `token` is for the gateway's relay alone: a
/// storage must not see it.
pub async fn put(
    url: &str,
    blob: &Blob,
    content_type: &str,
    token: Option<&str>,
    progress: &JsValue,
) -> Result<(), Error> {
    let bearer = ["Bearer ", token.unwrap_or_default()].concat();
    let headers = [("content-type", content_type), ("authorization", bearer.as_str())];
    let headers = if token.is_some() { &headers[..] } else { &headers[..1] };
    let reply = match Xhr::new() {
        Ok(xhr) => by_xhr(xhr, url, blob, headers, progress).await.map_err(failed)?,
        Err(_) => http::send(Method::PUT, url, headers, blob.into()).await.map_err(unreached)?,
    };
    if reply.succeeded() { Ok(()) } else { Err(refused(reply)) }
}

async fn by_xhr(
    xhr: Xhr,
    url: &str,
    blob: &Blob,
    headers: &[(&str, &str)],
    progress: &JsValue,
) -> Result<Reply, JsValue> {
    let (ended, end) = host::deferred();
    // Listeners on the upload ask the storage for permission first (CORS preflight): only where somebody listens.
    if progress.is_function() {
        host::set(&xhr.upload(), "onprogress", progress);
    }
    host::set(&xhr, "onloadend", &end);
    xhr.open("PUT", url)?;
    for (name, value) in headers {
        xhr.header(name, value)?;
    }
    xhr.send(blob)?;
    let guard = Guard(xhr);
    JsFuture::from(ended).await?;
    let xhr = &guard.0;
    let body = xhr.text().and_then(|it| host::parse(&it)).ok().map(Js);
    Ok(Reply { status: xhr.status(), body, retry_after_ms: None, request_id: None })
}

/// Tells a listener that all bytes are up, also where no progress was seen on the way.
pub fn tell_done(progress: &JsValue, size: f64) {
    let Some(listener) = progress.dyn_ref::<js_sys::Function>() else { return };
    let event = Object::new();
    host::set(&event, "loaded", &size.into());
    host::set(&event, "total", &size.into());
    // A listener that throws does not undo an upload.
    let _ = listener.call1(&JsValue::UNDEFINED, &event);
}

fn failed(cause: JsValue) -> Error {
    upload_error(0).with("cause", cause)
}

/// The same error, about the storage: it was not the gateway that could not be reached.
fn unreached(error: Error) -> Error {
    let Error { code, message, .. } = upload_error(0);
    error.renamed(code, message)
}

/// The relay answers as the gateway does; a storage answers in its own way.
fn refused(reply: Reply) -> Error {
    match read(reply.status, reply.body, Expects::Data) {
        Answer::Refused(envelope) => Error::refused(reply.status, &envelope),
        _ => upload_error(reply.status),
    }
}

fn upload_error(status: u16) -> Error {
    let message = match status {
        0 => {
            "the upload did not reach the storage; check the connection, and that the storage allows this page's origin (CORS)"
        }
        _ => "the storage refused the upload; its answer is in the network log",
    };
    let mut error = Error::new(code::UPLOAD_FAILED, message);
    error.status = status;
    error.retryable = status == 0 || status == 429 || status >= 500;
    error
}
