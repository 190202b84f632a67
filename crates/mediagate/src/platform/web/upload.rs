//! Uploads with `XMLHttpRequest`, because `fetch` does not report the progress of an upload.

use js_sys::{Array, Uint8Array};
use mediagate_client::Obstacle;
use tokio::sync::oneshot;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, BlobPropertyBag, FormData, ProgressEvent, Url, XmlHttpRequest};

use super::failure::{failed, no_response};
use super::fetch::{Body, Incoming};
use crate::file::{File, Source};
use crate::platform::{Head, NoResponse, OnSent};

pub(super) enum Payload {
    File(Blob),
    Form(FormData),
}

pub(super) fn blob(file: &File) -> Result<Blob, JsValue> {
    match file.source() {
        Source::Blob(blob) => Ok(blob.clone()),
        Source::Bytes(bytes) => {
            Blob::new_with_u8_array_sequence(&Array::of1(&Uint8Array::from(&**bytes)))
        }
    }
}

/// Makes a form. The file is its last field, `file`.
pub(super) fn form(
    fields: &[(String, String)],
    file: &File,
    name: &str,
    media_type: &str,
) -> Result<FormData, JsValue> {
    let form = FormData::new()?;
    for (name, value) in fields {
        form.append_with_str(name, value)?;
    }
    let options = BlobPropertyBag::new();
    options.set_type(media_type);
    let typed =
        Blob::new_with_blob_sequence_and_options(&Array::of1(&blob(file)?.into()), &options)?;
    form.append_with_blob_and_filename("file", &typed, name)?;
    Ok(form)
}

/// Sends a request with a body. Dropping the future aborts it.
pub(super) async fn send(
    method: &str,
    url: &str,
    headers: &[(String, String)],
    payload: &Payload,
    on_sent: OnSent,
) -> Result<Incoming, NoResponse> {
    let (sending, ended) = Sending::new(on_sent).map_err(no_response)?;
    let xhr = &sending.xhr;
    xhr.open(method, url).map_err(no_response)?;
    for (name, value) in headers {
        xhr.set_request_header(name, value).map_err(no_response)?;
    }
    let sent = match payload {
        Payload::File(blob) => xhr.send_with_opt_blob(Some(blob)),
        Payload::Form(form) => xhr.send_with_opt_form_data(Some(form)),
    };
    sent.map_err(no_response)?;
    ended.await.map_err(|_| failed("the upload was aborted"))?;
    response(xhr, url)
}

/// Finds out if the file is the reason why an upload got no response: the browser doesn't tell.
pub(super) async fn checked(
    sent: Result<Incoming, NoResponse>,
    file: &File,
) -> Result<Incoming, NoResponse> {
    let mut failure = match sent {
        Ok(response) => return Ok(response),
        Err(failure) => failure,
    };
    if let Source::Blob(blob) = file.source() {
        let is_readable = match blob.slice_with_i32_and_i32(0, 1) {
            Ok(first) => JsFuture::from(first.array_buffer()).await.is_ok(),
            Err(_) => false,
        };
        if !is_readable {
            failure.obstacle = Some(Obstacle::Unreadable);
        }
    }
    Err(failure)
}

/// A request that is being sent. Dropping it aborts the request.
struct Sending {
    xhr: XmlHttpRequest,
    // The browser may call these until the request ends.
    _on_progress: Closure<dyn FnMut(ProgressEvent)>,
    _on_end: Closure<dyn FnMut()>,
}

impl Sending {
    /// Makes a request that is not open yet, and a receiver of its end.
    fn new(on_sent: OnSent) -> Result<(Self, oneshot::Receiver<()>), JsValue> {
        let xhr = XmlHttpRequest::new()?;
        let on_progress: Closure<dyn FnMut(ProgressEvent)> =
            Closure::new(move |event: ProgressEvent| on_sent(event.loaded() as u64));
        xhr.upload()?
            .set_onprogress(Some(on_progress.as_ref().unchecked_ref()));
        let (sender, ended) = oneshot::channel();
        let mut sender = Some(sender);
        let on_end: Closure<dyn FnMut()> = Closure::new(move || {
            if let Some(sender) = sender.take() {
                // The receiver is gone if the caller has dropped the future.
                sender.send(()).ok();
            }
        });
        xhr.set_onloadend(Some(on_end.as_ref().unchecked_ref()));
        Ok((
            Sending {
                xhr,
                _on_progress: on_progress,
                _on_end: on_end,
            },
            ended,
        ))
    }
}

impl Drop for Sending {
    fn drop(&mut self) {
        // The abort would call the listeners.
        self.xhr.set_onloadend(None);
        if let Ok(upload) = self.xhr.upload() {
            upload.set_onprogress(None);
        }
        self.xhr.abort().ok();
    }
}

/// Returns the response of a request. XMLHttpRequest follows redirects, so a response from another
/// URL gets the status of a redirect.
fn response(xhr: &XmlHttpRequest, url: &str) -> Result<Incoming, NoResponse> {
    let mut status = xhr.status().map_err(no_response)?;
    if status == 0 {
        return Err(failed("the upload got no response"));
    }
    let asked = Url::new(url).map_err(no_response)?;
    asked.set_hash("");
    let responding = xhr.response_url();
    if !responding.is_empty() && responding != asked.href() {
        status = 302;
    }
    let lines = xhr.get_all_response_headers().map_err(no_response)?;
    // `getResponseHeader` would write a warning to the console if the storage does not expose the
    // header.
    let header = |name: &str| {
        let (_, value) = lines
            .lines()
            .filter_map(|line| line.split_once(": "))
            .find(|(other, _)| other.eq_ignore_ascii_case(name))?;
        Some(value.to_owned())
    };
    let text = xhr
        .response_text()
        .map_err(no_response)?
        .unwrap_or_default();
    Ok(Incoming {
        head: Head {
            status,
            content_type: header("content-type"),
            request_id: header("x-request-id"),
            retry_after: header("retry-after"),
        },
        body: Body::Text(text),
    })
}
