//! Sends requests and reads bodies within bounds, with the host's own objects.

use std::pin::pin;
use std::time::Duration;

use futures_util::future::{Either, select};
use js_sys::{Promise, Reflect, Uint8Array};
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{AbortController, Headers, Request, RequestInit, RequestRedirect, Response};
use worker::Env;

pub use super::host::Fetcher;
use super::host::{self, BucketFetcher};

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_name = fetch, catch)]
    fn fetch(request: &Request) -> Result<Promise, JsValue>;
}

impl Fetcher {
    pub fn of(env: &Env, name: &str) -> Option<Self> {
        let binding = Reflect::get(env, &name.into()).ok()?;
        binding.is_object().then(|| binding.unchecked_into())
    }

    pub fn of_bucket(env: &Env, name: &str) -> Option<Self> {
        let bucket = Reflect::get(env, &name.into()).ok()?;
        bucket
            .is_object()
            .then(|| BucketFetcher::new(&bucket).into())
    }

    /// `None` if no response arrived.
    pub async fn send(&self, request: &Request) -> Option<Response> {
        received(self.fetch_by(request)).await
    }
}

/// The `User-Agent` of every request except webhooks. Firewalls refuse requests without one, and an
/// operator's firewall may have a rule for it, so it does not change with a version.
pub const USER_AGENT: &str = "Mediagate/1";

/// The deadline for a server that a decision depends on: published keys, Turnstile.
const DEADLINE: Duration = Duration::from_secs(5);

/// Returns the output of a future if it completes within five seconds.
pub async fn deadline<T>(future: impl Future<Output = T>) -> Option<T> {
    within(DEADLINE, future).await
}

pub async fn within<T>(limit: Duration, future: impl Future<Output = T>) -> Option<T> {
    match select(pin!(future), pin!(worker::Delay::from(limit))).await {
        Either::Left((output, _)) => Some(output),
        Either::Right(_) => None,
    }
}

/// Returns the options of a request that follows no redirect, with `User-Agent` and these headers.
/// Fails if a header is not valid.
pub fn request_init(method: &str, headers: &[(&str, &str)]) -> Result<RequestInit, JsValue> {
    let all = Headers::new()?;
    all.set("user-agent", USER_AGENT)?;
    for (name, value) in headers {
        all.set(name, value)?;
    }
    let init = RequestInit::new();
    init.set_method(method);
    init.set_redirect(RequestRedirect::Manual);
    init.set_headers(&all);
    Ok(init)
}

/// Returns a `POST` of JSON that follows no redirect.
pub fn post_json(
    url: &str,
    further_headers: &[(&str, &str)],
    body: &str,
) -> Result<Request, JsValue> {
    let headers = [&[("content-type", "application/json")], further_headers].concat();
    let init = request_init("POST", &headers)?;
    init.set_body(&body.into());
    Request::new_with_str_and_init(url, &init)
}

/// Sends a request to the internet. Returns `None` if no response arrived.
pub async fn send(request: &Request) -> Option<Response> {
    received(fetch(request)).await
}

/// Sends a request, and aborts it if no response begins within the limit: otherwise its connection
/// and the object that sent it would stay. `to` is the receiver, if it is a binding. Returns `None`
/// at the limit, and `Some(None)` if the request failed before.
pub async fn send_within(
    limit: Duration,
    request: &Request,
    to: Option<&Fetcher>,
) -> Option<Option<Response>> {
    let Ok(controller) = AbortController::new() else {
        return Some(None);
    };
    let init = RequestInit::new();
    init.set_signal(Some(&controller.signal()));
    let Ok(request) = Request::new_with_request_and_init(request, &init) else {
        return Some(None);
    };
    let response = within(limit, async {
        match to {
            Some(binding) => binding.send(&request).await,
            None => send(&request).await,
        }
    })
    .await;
    if response.is_none() {
        controller.abort();
    }
    response
}

async fn received(sent: Result<Promise, JsValue>) -> Option<Response> {
    JsFuture::from(sent.ok()?).await.ok()?.dyn_into().ok()
}

pub enum BodyError {
    TooLarge,
    /// The connection ended before the body.
    Incomplete,
    TooSlow,
}

/// Reads the body of a response, of at most `limit` bytes.
pub async fn read_body(response: &Response, limit: usize) -> Result<Vec<u8>, BodyError> {
    let read = to_bytes(host::read_body(response, limit).await);
    if let Err(BodyError::TooLarge) = read
        && let Some(body) = response.body()
    {
        // The rest of the body would occupy the connection.
        let _ = body.cancel();
    }
    read
}

/// Reads the body of a request, of at most `limit` bytes, within `ms` milliseconds.
pub async fn read_body_within(
    request: &Request,
    limit: usize,
    ms: u32,
) -> Result<Vec<u8>, BodyError> {
    match host::read_body_within(request, limit, ms).await {
        Ok(timed_out) if timed_out.is_null() => Err(BodyError::TooSlow),
        read => to_bytes(read),
    }
}

fn to_bytes(read: Result<JsValue, JsValue>) -> Result<Vec<u8>, BodyError> {
    let body = read.map_err(|_| BodyError::Incomplete)?;
    body.dyn_into::<Uint8Array>()
        .map(|bytes| bytes.to_vec())
        .map_err(|_| BodyError::TooLarge)
}
