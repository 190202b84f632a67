//! Sending requests and reading bodies within bounds, over the host's own objects.

use std::pin::pin;
use std::time::Duration;

use futures_util::future::{Either, select};
use js_sys::{Promise, Uint8Array};
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Request, Response};

use super::host;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_name = fetch, catch)]
    fn fetch(request: &Request) -> Result<Promise, JsValue>;
}

/// How long a server that a decision depends on may take: published keys, Turnstile, a webhook's target.
const DEADLINE: Duration = Duration::from_secs(5);

/// The output of a future that completes within five seconds.
pub(crate) async fn deadline<T>(future: impl Future<Output = T>) -> Option<T> {
    within(DEADLINE, future).await
}

/// The output of a future that completes within the limit.
pub(crate) async fn within<T>(limit: Duration, future: impl Future<Output = T>) -> Option<T> {
    match select(pin!(future), pin!(worker::Delay::from(limit))).await {
        Either::Left((it, _)) => Some(it),
        Either::Right(_) => None,
    }
}

/// Sends a request; `None` where no response arrived.
pub(crate) async fn send(request: &Request) -> Option<Response> {
    JsFuture::from(fetch(request).ok()?)
        .await
        .ok()?
        .dyn_into()
        .ok()
}

/// Why a body could not be read.
pub(crate) enum BodyError {
    /// It is larger than the limit.
    TooLarge,
    /// The connection ended before the body did.
    Incomplete,
    /// It took too long.
    TooSlow,
}

/// The body of a response, of at most `limit` bytes.
pub(crate) async fn read_body(response: &Response, limit: usize) -> Result<Vec<u8>, BodyError> {
    let read = to_bytes(host::read_body(response, limit).await);
    if let (Err(BodyError::TooLarge), Some(body)) = (&read, response.body()) {
        let _ = body.cancel();
    }
    read
}

/// The body of a request, where it arrives within `ms` milliseconds.
pub(crate) async fn read_body_within(
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
        .map(|it| it.to_vec())
        .map_err(|_| BodyError::TooLarge)
}
