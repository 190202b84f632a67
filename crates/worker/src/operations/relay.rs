//! Relays an upload, for a storage that sends no CORS headers.

use std::time::Duration;

use mediagate_core::Code;
use serde_json::{Value, json};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;
use web_sys::{AbortController, Headers, ReadableStream, Request, RequestInit, RequestRedirect};

use super::Call;
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
pub(super) struct Ticket {
    url: String,
    size: u64,
    content_type: String,
    /// In milliseconds since 1970.
    expires_at: f64,
}

impl Ticket {
    /// A ticket for an upload URL and the request that it was returned for: `{content_type, size}`.
    pub(super) fn new(url: &str, request: &Value) -> Self {
        Ticket {
            url: url.to_owned(),
            size: request["size"].as_u64().unwrap_or_default(),
            content_type: request["content_type"].as_str().unwrap_or_default().to_owned(),
            expires_at: now_ms() + TICKET_LIFETIME_MS,
        }
    }

    /// The ticket, sealed for the caller.
    pub(super) fn seal(&self, call: &Call<'_>) -> String {
        let fields = json!([self.url, self.size, self.content_type, self.expires_at]).to_string();
        call.seal(TICKET_KIND, &fields)
    }

    /// A valid ticket of the caller's.
    fn unseal(call: &Call<'_>, sealed: &str) -> Option<Self> {
        let fields = call.unseal(TICKET_KIND, sealed)?;
        let (url, size, content_type, expires_at) = serde_json::from_str(&fields).ok()?;
        Some(Ticket { url, size, content_type, expires_at }).filter(|it| now_ms() < it.expires_at)
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

fn put(call: &Call<'_>, ticket: &Ticket, abort: &AbortController) -> Result<Request, JsValue> {
    let headers = Headers::new()?;
    headers.set("content-type", &ticket.content_type)?;
    let init = RequestInit::new();
    init.set_method("PUT");
    init.set_redirect(RequestRedirect::Manual);
    init.set_headers(&headers);
    init.set_signal(Some(&abort.signal()));
    if let Some(body) = call.incoming.raw.body() {
        let fixed = FixedLengthStream::new(ticket.size as f64)?;
        init.set_body(&fixed.readable());
        let (abort, limit) = (abort.clone(), call.settings().upstream_timeout_ms);
        wasm_bindgen_futures::spawn_local(async move { pipe(&body, &fixed.writable(), &abort, limit).await });
    }
    Request::new_with_str_and_init(&ticket.url, &init)
}
