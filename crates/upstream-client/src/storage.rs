use std::collections::BTreeMap;
use std::pin::pin;
use std::time::Duration;

use futures_util::future::{Either, select};
use mediagate_platform::http::{USER_AGENT, within};
use mediagate_platform::{Counter, body_stream, pipe, random_name};
use mediagate_settings::Settings;
use mediagate_upstream::UploadTarget;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use url::Url;
use wasm_bindgen::JsValue;
use web_sys::{
    AbortController, Headers, ReadableStream, Request, RequestInit, RequestRedirect, Response,
};

use super::Upstream;
use super::form::Form;

/// The slowest upload before its deadline passes, in bytes per millisecond.
const MIN_BYTES_PER_MS: u64 = 32;

#[derive(Serialize, Deserialize)]
pub struct StorageUpload {
    url: String,
    /// `PUT` or `POST`.
    method: String,
    headers: BTreeMap<String, String>,
    /// The fields of a form. If there are none, the body is the file itself.
    fields: BTreeMap<String, String>,
    file_name: String,
    content_type: String,
    /// The size in bytes. If it is `None`, the request is chunked.
    pub size: Option<u64>,
    /// True if the URL alone authorises the upload, so the API key is not sent.
    is_signed: bool,
}

pub enum StorageError {
    Internal,
    Deadline,
    /// No byte moved for a while.
    Stalled,
    /// No response arrived, the body broke, or it had another length than announced.
    Unreachable,
    /// A file without a length was empty, or larger than an upload may be.
    WrongSize,
    /// Another status than success. A storage responds with 403 to a signed URL that has expired.
    Refused {
        status: u16,
    },
}

struct AbortGuard(AbortController);

impl Drop for AbortGuard {
    fn drop(&mut self) {
        self.0.abort();
    }
}

struct PreparedUpload {
    request: Request,
    /// The end of the stream that takes the body.
    writable: JsValue,
    /// The parts of a form before and after the file. Empty without a form.
    before: String,
    after: String,
    abort: AbortGuard,
}

impl StorageUpload {
    /// Makes the upload that a response describes. `request` is the request for that description:
    /// `{file_name, content_type}`, and `size` if it is known.
    pub fn new(url: &Url, upload: &UploadTarget, request: &Value) -> Self {
        let text = |name: &str| request[name].as_str().unwrap_or_default().to_owned();
        StorageUpload {
            url: url.as_str().to_owned(),
            method: upload.method().to_owned(),
            headers: upload.headers.clone(),
            fields: upload.fields.clone(),
            file_name: text("file_name"),
            content_type: text("content_type"),
            size: request["size"].as_u64(),
            is_signed: false,
        }
    }

    pub fn put(url: &Url, content_type: &str, size: u64) -> Self {
        StorageUpload {
            url: url.as_str().to_owned(),
            method: "PUT".to_owned(),
            headers: BTreeMap::new(),
            fields: BTreeMap::new(),
            file_name: String::new(),
            content_type: content_type.to_owned(),
            size: Some(size),
            is_signed: true,
        }
    }

    /// Streams a body without copying it into wasm, and counts its bytes with `counter`. An upload
    /// of a known size has a deadline. For any other, the caller sets one: dropping the future
    /// aborts the upload. After a [`StorageError`], the storage may have the file nevertheless.
    pub async fn send(
        &self,
        upstream: &Upstream,
        body: &ReadableStream,
        counter: &Counter,
    ) -> Result<(), StorageError> {
        let settings = &upstream.settings;
        let prepared = self.prepare(settings).map_err(|_| StorageError::Internal)?;
        let run = prepared.run(upstream, body, self.size.is_none(), counter);
        let (response, is_whole) = match self.size {
            Some(size) => within(deadline(settings, size), run)
                .await
                .unwrap_or(Err(StorageError::Deadline))?,
            None => run.await?,
        };
        // `pipe` in `host.js` aborts with one of these words.
        match prepared.abort.0.signal().reason().as_string().as_deref() {
            Some("stalled") => return Err(StorageError::Stalled),
            Some("wrong_size") => return Err(StorageError::WrongSize),
            Some(_) => return Err(StorageError::Unreachable),
            None => {}
        }
        match response.ok_or(StorageError::Unreachable)?.status() {
            200..300 if is_whole => Ok(()),
            200..300 => Err(StorageError::Unreachable),
            status => Err(StorageError::Refused { status }),
        }
    }

    /// Returns the request to the storage. Its body is the bytes, or a form that ends with them.
    fn prepare(&self, settings: &Settings) -> Result<PreparedUpload, JsValue> {
        let headers = Headers::new()?;
        headers.set("user-agent", USER_AGENT)?;
        let form = (!self.fields.is_empty()).then(|| {
            let boundary = ["mediagate-", &random_name()].concat();
            Form::new(&boundary, &self.fields, &self.file_name, &self.content_type)
        });
        let content_type = form
            .as_ref()
            .map_or(&self.content_type, |form| &form.content_type);
        headers.set("content-type", content_type)?;
        for (name, value) in &self.headers {
            // A form's media type has its boundary, so it must stay.
            if form.is_none() || name != "content-type" {
                headers.set(name, value)?;
            }
        }
        // The key goes only to the upstream itself: whoever has it can spend the account's credits.
        if settings.dialect.upload.send.api_key
            && !self.is_signed
            && is_same_origin(&self.url, settings.service.base_url())
            && let Some(authorization) = settings.service.authorization()
        {
            headers.set("authorization", &authorization)?;
        }
        let (before, after) = form
            .map(|form| (form.before, form.after))
            .unwrap_or_default();
        let form_len = (before.len() + after.len()) as u64;
        let stream = body_stream(self.size.map(|size| size + form_len))?;
        let abort = AbortGuard(AbortController::new()?);
        let init = RequestInit::new();
        init.set_method(&self.method);
        // The host that a redirect leads to is not checked against `UPLOAD_HOSTS`.
        init.set_redirect(RequestRedirect::Manual);
        init.set_headers(&headers);
        init.set_signal(Some(&abort.0.signal()));
        init.set_body(&stream.readable());
        let request = Request::new_with_str_and_init(&self.url, &init)?;
        Ok(PreparedUpload {
            request,
            writable: stream.writable().into(),
            before,
            after,
            abort,
        })
    }
}

impl PreparedUpload {
    /// Sends the request while the bytes move. Returns the response, and true if all bytes were
    /// moved.
    async fn run(
        &self,
        upstream: &Upstream,
        body: &ReadableStream,
        has_limit: bool,
        counter: &Counter,
    ) -> Result<(Option<Response>, bool), StorageError> {
        let PreparedUpload {
            request,
            writable,
            before,
            after,
            abort: AbortGuard(abort),
        } = self;
        let settings = &upstream.settings;
        let limit = has_limit.then_some(settings.max_upload_bytes as f64);
        let moving = pipe(
            body,
            writable,
            abort,
            settings.read_timeout_ms,
            limit,
            before,
            after,
            counter,
        );
        let is_whole =
            |moved: &Result<JsValue, JsValue>| moved.as_ref().is_ok_and(JsValue::is_truthy);
        let sent = upstream.send_to_storage(request);
        match select(pin!(sent), pin!(moving)).await {
            Either::Left((response, moving)) => {
                if !response.as_ref().is_some_and(Response::ok) {
                    // The storage has refused the file, so the rest of the bytes is not sent.
                    abort.abort();
                }
                Ok((response, is_whole(&moving.await)))
            }
            Either::Right((moved, response)) => {
                // The bytes are sent, but the storage may take time to store them.
                let limit = deadline(settings, counter.bytes() as u64);
                Ok((
                    within(limit, response)
                        .await
                        .ok_or(StorageError::Deadline)?,
                    is_whole(&moved),
                ))
            }
        }
    }
}

fn deadline(settings: &Settings, bytes: u64) -> Duration {
    Duration::from_millis(u64::from(settings.read_timeout_ms) + bytes / MIN_BYTES_PER_MS)
}

fn is_same_origin(one: &str, other: &str) -> bool {
    let (Ok(one), Ok(other)) = (Url::parse(one), Url::parse(other)) else {
        return false;
    };
    // An opaque origin is equal to no other.
    one.origin().is_tuple() && one.origin() == other.origin()
}
