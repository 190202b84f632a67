//! Streams a file to the storage, as the upstream described its upload.

use std::collections::BTreeMap;
use std::time::Duration;

use mediagate_core::dialect::Upload;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use url::Url;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;
use web_sys::{AbortController, Headers, ReadableStream, Request, RequestInit, RequestRedirect};

use super::form::Form;
use crate::platform::http::{send, within};
use crate::platform::{Counter, pipe};
use crate::settings::Settings;

/// The slowest upload that is waited for, in bytes per millisecond.
const MIN_BYTES_PER_MS: u64 = 32;

/// A file's upload to the storage.
#[derive(Serialize, Deserialize)]
pub(crate) struct StorageUpload {
    url: String,
    /// `PUT` or `POST`.
    method: String,
    headers: BTreeMap<String, String>,
    /// The fields of a form; without any, the body is the file.
    fields: BTreeMap<String, String>,
    file_name: String,
    content_type: String,
    /// In bytes.
    pub(crate) size: u64,
}

/// Why the storage has not got a file.
pub(crate) enum StorageError {
    /// The request could not be made.
    Internal,
    /// It took too long.
    Deadline,
    /// No byte moved for a while.
    Stalled,
    /// No response arrived, or the bytes were not as many as announced.
    Unreachable,
    /// The upload URL has expired.
    Expired,
    /// Any other status.
    Refused,
}

#[wasm_bindgen]
extern "C" {
    /// A stream of exactly `length` bytes, which gives the request a `Content-Length`.
    type FixedLengthStream;
    #[wasm_bindgen(constructor, catch)]
    fn new(length: f64) -> Result<FixedLengthStream, JsValue>;
    #[wasm_bindgen(method, getter)]
    fn readable(this: &FixedLengthStream) -> ReadableStream;
    #[wasm_bindgen(method, getter)]
    fn writable(this: &FixedLengthStream) -> JsValue;
}

impl StorageUpload {
    /// An upload that the upstream described, and the request that it was described for: `{file_name, content_type, size}`.
    pub(crate) fn new(url: &Url, upload: &Upload, request: &Value) -> Self {
        let text = |name: &str| request[name].as_str().unwrap_or_default().to_owned();
        StorageUpload {
            url: url.as_str().to_owned(),
            method: upload.method().to_owned(),
            headers: upload.headers.clone(),
            fields: upload.fields.clone(),
            file_name: text("file_name"),
            content_type: text("content_type"),
            size: request["size"].as_u64().unwrap_or_default(),
        }
    }

    /// Streams a body, outside wasm; `counter` counts its bytes.
    ///
    /// # Errors
    /// A [`StorageError`]; the storage may have the file nevertheless, where its response was lost.
    pub(crate) async fn send(
        &self,
        settings: &Settings,
        body: &ReadableStream,
        counter: &Counter,
    ) -> Result<(), StorageError> {
        let abort = AbortController::new().map_err(|_| StorageError::Internal)?;
        let request = self.request(settings, body, counter, &abort).map_err(|_| StorageError::Internal)?;
        let timeout = u64::from(settings.upstream_timeout_ms) + self.size / MIN_BYTES_PER_MS;
        let Some(response) = within(Duration::from_millis(timeout), send(&request)).await else {
            abort.abort();
            return Err(StorageError::Deadline);
        };
        let Some(response) = response else {
            let has_stalled = abort.signal().reason().as_string().as_deref() == Some("stalled");
            return Err(if has_stalled { StorageError::Stalled } else { StorageError::Unreachable });
        };
        match response.status() {
            200..300 => Ok(()),
            403 => Err(StorageError::Expired),
            _ => Err(StorageError::Refused),
        }
    }

    /// The request to the storage: the bytes alone, or in a form after its fields.
    fn request(
        &self,
        settings: &Settings,
        body: &ReadableStream,
        counter: &Counter,
        abort: &AbortController,
    ) -> Result<Request, JsValue> {
        let headers = Headers::new()?;
        let form = (!self.fields.is_empty()).then(|| Form::new(&self.fields, &self.file_name, &self.content_type));
        let content_type = form.as_ref().map_or(&self.content_type, |it| &it.content_type);
        headers.set("content-type", content_type)?;
        // A form's media type has its boundary.
        let named = self.headers.iter().filter(|it| form.is_none() || *it.0 != "content-type");
        named.into_iter().try_for_each(|(name, value)| headers.set(name, value))?;
        if settings.dialect.upload.send.api_key && is_same_origin(&self.url, &settings.upstream_base_url) {
            headers.set("authorization", &["Bearer ", settings.upstream_api_key.expose()].concat())?;
        }
        let (before, after) = form.map(|it| (it.before, it.after)).unwrap_or_default();
        let fixed = FixedLengthStream::new((before.len() + after.len()) as f64 + self.size as f64)?;
        let init = RequestInit::new();
        init.set_method(&self.method);
        init.set_redirect(RequestRedirect::Manual);
        init.set_headers(&headers);
        init.set_signal(Some(&abort.signal()));
        init.set_body(&fixed.readable());
        let (body, counter) = (body.clone(), counter.clone());
        let (abort, limit) = (abort.clone(), settings.upstream_timeout_ms);
        wasm_bindgen_futures::spawn_local(async move {
            pipe(&body, &fixed.writable(), &abort, limit, &before, &after, &counter).await;
        });
        Request::new_with_str_and_init(&self.url, &init)
    }
}

fn is_same_origin(one: &str, other: &str) -> bool {
    let origin = |it: &str| Url::parse(it).ok().map(|it| it.origin()).filter(url::Origin::is_tuple);
    origin(one).is_some() && origin(one) == origin(other)
}
