//! Relays an upload, for a storage that sends no CORS headers.

use std::collections::BTreeMap;
use std::time::Duration;

use mediagate_core::Code;
use mediagate_core::dialect::Upload;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use url::Url;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;
use web_sys::{AbortController, Headers, ReadableStream, Request, RequestInit, RequestRedirect};

use super::Call;
use super::form::Form;
use crate::ids::MAX_SEALED_LEN;
use crate::platform::http::{send, within};
use crate::platform::{now_ms, pipe};
use crate::refusal::Refusal;
use crate::reply::Reply;

/// How long a ticket is valid, in milliseconds.
const TICKET_LIFETIME_MS: f64 = 3_600_000.0;
/// The kind that a ticket is sealed as.
const TICKET_KIND: &str = "ticket";
/// The slowest upload that a relay waits for, in bytes per millisecond.
const MIN_BYTES_PER_MS: u64 = 32;

/// An upload that may be relayed. It leaves the gateway sealed.
#[derive(Serialize, Deserialize)]
pub(super) struct Ticket {
    url: String,
    /// `PUT` or `POST`.
    method: String,
    headers: BTreeMap<String, String>,
    /// The fields of a form; without any, the body is the file.
    fields: BTreeMap<String, String>,
    file_name: String,
    content_type: String,
    size: u64,
    /// In milliseconds since 1970.
    expires_at: f64,
}

impl Ticket {
    /// A ticket for an upload that the upstream described, and the request that it was described for: `{file_name,
    /// content_type, size}`.
    pub(super) fn new(url: &Url, upload: &Upload, request: &Value) -> Self {
        let text = |name: &str| request[name].as_str().unwrap_or_default().to_owned();
        Ticket {
            url: url.as_str().to_owned(),
            method: upload.method().to_owned(),
            headers: upload.headers.clone(),
            fields: upload.fields.clone(),
            file_name: text("file_name"),
            content_type: text("content_type"),
            size: request["size"].as_u64().unwrap_or_default(),
            expires_at: now_ms() + TICKET_LIFETIME_MS,
        }
    }

    /// The ticket, sealed for the caller; `None` where it would be too long for a path.
    pub(super) fn seal(&self, call: &Call<'_>) -> Option<String> {
        let sealed = call.seal(TICKET_KIND, &serde_json::to_string(self).ok()?);
        (sealed.len() <= MAX_SEALED_LEN).then_some(sealed)
    }

    /// A valid ticket of the caller's.
    fn unseal(call: &Call<'_>, sealed: &str) -> Option<Self> {
        let ticket: Ticket = serde_json::from_str(&call.unseal(TICKET_KIND, sealed)?).ok()?;
        Some(ticket).filter(|it| now_ms() < it.expires_at)
    }
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

/// `PUT /api/app/v1/uploads/{ticket}`: the bytes are streamed to the upload URL, outside wasm.
pub(crate) async fn relay(call: &Call<'_>, ticket: &str) -> Result<Reply, Refusal> {
    let Some(ticket) = Ticket::unseal(call, ticket) else {
        let message = "the upload URL is not valid or has expired; request a new one";
        return Err(Refusal::new(403, Code::INVALID_INPUT, "invalid_ticket", message));
    };
    let declared = call.incoming.header("content-length").and_then(|it| it.parse::<u64>().ok());
    if declared.is_some_and(|it| it != ticket.size) || call.incoming.raw.body().is_none() {
        return Err(Refusal::invalid(
            "wrong_size",
            "the body does not have the size that the upload URL was requested for",
        ));
    }
    let abort = AbortController::new().map_err(|_| Refusal::internal("relay"))?;
    let request = put(call, &ticket, &abort).map_err(|_| Refusal::internal("relay"))?;
    let timeout = u64::from(call.settings().upstream_timeout_ms) + ticket.size / MIN_BYTES_PER_MS;
    let Some(response) = within(Duration::from_millis(timeout), send(&request)).await else {
        abort.abort();
        return Err(Refusal::deadline());
    };
    let Some(response) = response else {
        let has_stalled = abort.signal().reason().as_string().as_deref() == Some("stalled");
        return Err(if has_stalled { stalled() } else { Refusal::unreadable("storage_unreachable") });
    };
    match response.status() {
        200..300 => Ok(Reply::ok(json!({}))),
        // The upload URL in the ticket has expired: the client requests a new one.
        403 => Err(Refusal::new(
            403,
            Code::INVALID_INPUT,
            "upload_url_expired",
            "the upload URL has expired; request a new one",
        )),
        _ => Err(Refusal::unreadable("storage_refused")),
    }
}

fn stalled() -> Refusal {
    let message = "the upload stopped on its way; request a new upload URL and send the file again";
    Refusal::new(408, Code::INVALID_INPUT, "slow_body", message)
}

/// The request to the storage: the bytes alone, or in a form after its fields.
fn put(call: &Call<'_>, ticket: &Ticket, abort: &AbortController) -> Result<Request, JsValue> {
    let headers = Headers::new()?;
    let form = (!ticket.fields.is_empty()).then(|| Form::new(&ticket.fields, &ticket.file_name, &ticket.content_type));
    let content_type = form.as_ref().map_or(&ticket.content_type, |it| &it.content_type);
    headers.set("content-type", content_type)?;
    // A form's media type has its boundary.
    let named = ticket.headers.iter().filter(|it| form.is_none() || *it.0 != "content-type");
    named.into_iter().try_for_each(|(name, value)| headers.set(name, value))?;
    let settings = call.settings();
    if settings.dialect.upload.send.api_key && is_same_origin(&ticket.url, &settings.upstream_base_url) {
        headers.set("authorization", &["Bearer ", settings.upstream_api_key.expose()].concat())?;
    }
    let init = RequestInit::new();
    init.set_method(&ticket.method);
    init.set_redirect(RequestRedirect::Manual);
    init.set_headers(&headers);
    init.set_signal(Some(&abort.signal()));
    if let Some(body) = call.incoming.raw.body() {
        let (before, after) = form.map(|it| (it.before, it.after)).unwrap_or_default();
        let fixed = FixedLengthStream::new((before.len() + after.len()) as f64 + ticket.size as f64)?;
        init.set_body(&fixed.readable());
        let (abort, limit) = (abort.clone(), settings.upstream_timeout_ms);
        wasm_bindgen_futures::spawn_local(async move {
            pipe(&body, &fixed.writable(), &abort, limit, &before, &after).await;
        });
    }
    Request::new_with_str_and_init(&ticket.url, &init)
}

fn is_same_origin(one: &str, other: &str) -> bool {
    let origin = |it: &str| Url::parse(it).ok().map(|it| it.origin()).filter(url::Origin::is_tuple);
    origin(one).is_some() && origin(one) == origin(other)
}
