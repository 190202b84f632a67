//! The clock, randomness, the log, and the functions of `host.js`.

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Serialize;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{AbortController, ReadableStream, Request, Response};
use worker::Env;

#[wasm_bindgen(module = "/src/platform/host.js")]
extern "C" {
    /// A body of at most `limit` bytes; `undefined` where it is longer.
    #[wasm_bindgen(catch, js_name = readBody)]
    pub(super) async fn read_body(message: &JsValue, limit: usize) -> Result<JsValue, JsValue>;

    /// The same, where it arrives within `ms` milliseconds; `null` otherwise.
    #[wasm_bindgen(catch, js_name = readBodyWithin)]
    pub(super) async fn read_body_within(
        message: &JsValue,
        limit: usize,
        ms: u32,
    ) -> Result<JsValue, JsValue>;

    /// Drops what is left of a request's body as it arrives, for at most `ms` milliseconds.
    #[wasm_bindgen]
    pub(super) async fn discard(request: &Request, ms: u32);

    /// Counts bytes.
    #[derive(Clone)]
    pub(crate) type Counter;
    #[wasm_bindgen(constructor)]
    pub(crate) fn new() -> Counter;
    /// How many it has counted.
    #[wasm_bindgen(method, getter)]
    pub(crate) fn bytes(this: &Counter) -> f64;

    /// Moves a body into a `WritableStream`, between two texts; `true` where all of it was moved. Aborts with a reason where no
    /// byte moves for `ms` milliseconds (`"stalled"`), where the body breaks (`"interrupted"`), and with a limit where it is
    /// empty or has more bytes (`"wrong_size"`). When the controller is aborted, by anyone, both streams end.
    #[wasm_bindgen(catch)]
    pub(crate) async fn pipe(
        from: &ReadableStream,
        to: &JsValue,
        controller: &AbortController,
        ms: u32,
        limit: Option<f64>,
        before: &str,
        after: &str,
        counter: &Counter,
    ) -> Result<JsValue, JsValue>;

    /// Sends requests to one server.
    pub(crate) type JsonClient;
    #[wasm_bindgen(constructor)]
    pub(crate) fn new(base_url: &str, authorization: &str, ms: u32, limit: usize) -> JsonClient;
    /// Sends one request. Returns a [`FetchResult`] whatever happens.
    #[wasm_bindgen(method)]
    pub(crate) async fn send(
        this: &JsonClient,
        method: &str,
        path: &str,
        body: Option<&str>,
    ) -> JsValue;

    /// Runs a SQL statement. `values` is a JSON list, and so are the rows that it returns.
    #[wasm_bindgen(catch, js_name = executeSql)]
    pub(super) fn execute_sql(
        sql: &JsValue,
        statement: &str,
        values: &str,
    ) -> Result<String, JsValue>;

    /// Runs SQL scripts, a JSON list, in one transaction of a Durable Object's storage.
    #[wasm_bindgen(catch, js_name = executeAll)]
    pub(super) fn execute_all(state: &JsValue, scripts: &str) -> Result<(), JsValue>;

    #[wasm_bindgen(catch, js_name = fetchObject)]
    async fn fetch_object_js(
        env: &Env,
        binding: &str,
        name: &str,
        body: &str,
    ) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(catch, js_name = fetchObjectText)]
    async fn fetch_object_text_js(
        env: &Env,
        binding: &str,
        name: &str,
        body: &str,
        ms: u32,
    ) -> Result<JsValue, JsValue>;

    /// What [`JsonClient::send`] returns.
    pub(crate) type FetchResult;
    /// The HTTP status; 0 where no response arrived.
    #[wasm_bindgen(method, getter)]
    pub(crate) fn status(this: &FetchResult) -> u16;
    /// The body, where it could be read.
    #[wasm_bindgen(method, getter)]
    pub(crate) fn body(this: &FetchResult) -> Option<Vec<u8>>;
    /// The header `Retry-After`, where the response has it.
    #[wasm_bindgen(method, getter, js_name = retryAfter)]
    pub(crate) fn retry_after(this: &FetchResult) -> Option<String>;
    /// Why there is no body, as one word.
    #[wasm_bindgen(method, getter)]
    pub(crate) fn fault(this: &FetchResult) -> Option<String>;
}

/// Milliseconds since 1970. Stands still while the Worker computes; advances while it waits.
pub(crate) fn now_ms() -> f64 {
    js_sys::Date::now()
}

/// The same as a whole number, as it is stored.
pub(crate) fn timestamp_ms() -> i64 {
    now_ms() as i64
}

/// A time in milliseconds since 1970 as a date and time (RFC 3339).
pub(crate) fn date(ms: f64) -> String {
    js_sys::Date::new(&ms.into()).to_iso_string().into()
}

/// Unpredictable random bytes; `None` where the host has none.
pub(crate) fn random() -> Option<[u8; 16]> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).ok().map(|()| bytes)
}

/// A unique name: of a request, to find it in the log, or of a create that has no idempotency key.
pub(crate) fn random_name() -> String {
    random()
        .map(|it| URL_SAFE_NO_PAD.encode(it))
        .unwrap_or_default()
}

/// Sends a message to the Durable Object with this name. Returns `None` if it can't be reached or fails.
pub(crate) async fn fetch_object(
    env: &Env,
    binding: &str,
    name: &str,
    message: &impl Serialize,
) -> Option<Response> {
    let body = serde_json::to_string(message).ok()?;
    let response = fetch_object_js(env, binding, name, &body).await.ok()?;
    response.dyn_into().ok()
}

/// Sends a message to a Durable Object whose response is text. Returns `None` also if the response is not complete within
/// the limit. The limit is a timer of the host, which still fires after a panic elsewhere in the isolate.
pub(crate) async fn fetch_object_text(
    env: &Env,
    binding: &str,
    name: &str,
    message: &impl Serialize,
    limit: Duration,
) -> Option<String> {
    let body = serde_json::to_string(message).ok()?;
    let text = fetch_object_text_js(env, binding, name, &body, limit.as_millis() as u32).await;
    text.ok()?.as_string()
}

/// Writes one line to the log.
pub(crate) fn log(line: &str) {
    worker::console_log!("{line}");
}
