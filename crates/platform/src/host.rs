//! The clock, randomness, the log, and the functions of `host.js`.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use js_sys::{Array, Promise};
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{AbortController, ReadableStream, Request};
use worker::Env;

#[wasm_bindgen]
extern "C" {
    /// A service binding, which only this Worker reaches: another Worker, or a bucket.
    pub type Fetcher;
    #[wasm_bindgen(method, js_name = fetch, catch)]
    pub(super) fn fetch_by(this: &Fetcher, request: &Request) -> Result<Promise, JsValue>;
}

#[wasm_bindgen(module = "/src/host.js")]
extern "C" {
    #[wasm_bindgen(catch, js_name = readBody)]
    pub(super) async fn read_body(message: &JsValue, limit: usize) -> Result<JsValue, JsValue>;

    /// Like [`read_body`]. Returns `null` if the body is not complete within `ms` milliseconds.
    #[wasm_bindgen(catch, js_name = readBodyWithin)]
    pub(super) async fn read_body_within(
        message: &JsValue,
        limit: usize,
        ms: u32,
    ) -> Result<JsValue, JsValue>;

    /// Reads and drops the rest of a request's body, for at most `ms` milliseconds.
    #[wasm_bindgen]
    pub async fn discard(request: &Request, ms: u32);

    #[wasm_bindgen(catch, js_name = peek)]
    async fn peek_js(body: &ReadableStream, bytes: u32, ms: u32) -> Result<JsValue, JsValue>;

    /// The first bytes of a body, and the whole body.
    pub type Peeked;
    #[wasm_bindgen(method, getter)]
    pub fn head(this: &Peeked) -> Vec<u8>;
    #[wasm_bindgen(method, getter)]
    pub fn body(this: &Peeked) -> ReadableStream;

    #[derive(Clone)]
    pub type Counter;
    #[wasm_bindgen(constructor)]
    pub fn new() -> Counter;
    #[wasm_bindgen(method, getter)]
    pub fn bytes(this: &Counter) -> f64;

    /// Moves a body into a `WritableStream`, between two texts. Returns `true` if the whole body
    /// was moved.
    /// Aborts the controller with `"stalled"` if no byte moves for `ms` milliseconds, with
    /// `"interrupted"` if the body breaks, and with `"wrong_size"` if it is empty or has more bytes
    /// than a `limit`. Both streams end when the controller is aborted, also by other code.
    #[wasm_bindgen(catch)]
    pub async fn pipe(
        from: &ReadableStream,
        to: &JsValue,
        controller: &AbortController,
        ms: u32,
        limit: Option<f64>,
        before: &str,
        after: &str,
        counter: &Counter,
    ) -> Result<JsValue, JsValue>;

    pub type JsonClient;
    #[wasm_bindgen(constructor)]
    pub fn new(
        base_url: &str,
        authorization: Option<&str>,
        user_agent: &str,
        limit: usize,
        module: Option<&Fetcher>,
    ) -> JsonClient;
    /// Sends a request whose response must be complete within `ms` milliseconds. Always returns a
    /// [`FetchResult`].
    #[wasm_bindgen(method)]
    pub async fn send(
        this: &JsonClient,
        method: &str,
        path: &str,
        body: Option<&str>,
        ms: u32,
    ) -> JsValue;

    /// Runs a SQL statement, and returns its rows. `worker`'s own function catches no error of a
    /// row after the first.
    #[wasm_bindgen(catch, js_name = executeSql)]
    pub(super) fn execute_sql(
        sql: &JsValue,
        statement: &str,
        values: Vec<JsValue>,
    ) -> Result<Array, JsValue>;

    #[wasm_bindgen(catch, js_name = executeAll)]
    pub(super) fn execute_all(state: &JsValue, scripts: Vec<String>) -> Result<(), JsValue>;

    #[wasm_bindgen(catch, js_name = fetchObject)]
    pub(super) async fn fetch_object_js(
        env: &Env,
        binding: &str,
        name: &str,
        body: &str,
    ) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(catch, js_name = fetchObjectText)]
    pub(super) async fn fetch_object_text(
        env: &Env,
        binding: &str,
        name: &str,
        body: &str,
        ms: u32,
    ) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(extends = Fetcher)]
    pub(super) type BucketFetcher;
    #[wasm_bindgen(constructor)]
    pub(super) fn new(bucket: &JsValue) -> BucketFetcher;

    pub type FetchResult;
    #[wasm_bindgen(method, getter)]
    pub fn status(this: &FetchResult) -> u16;
    #[wasm_bindgen(method, getter)]
    pub fn body(this: &FetchResult) -> Option<Vec<u8>>;
    #[wasm_bindgen(method, getter, js_name = retryAfter)]
    pub fn retry_after(this: &FetchResult) -> Option<String>;
    /// The reason for a missing body, as one word.
    #[wasm_bindgen(method, getter)]
    pub fn fault(this: &FetchResult) -> Option<String>;
}

/// Reads at most the first `bytes` of a body. The returned body replaces the passed one. Returns
/// `None` if the bytes do not arrive within `ms` milliseconds, and an error if the body breaks
/// before. In both cases the body is cancelled.
pub async fn peek(body: &ReadableStream, bytes: u32, ms: u32) -> Result<Option<Peeked>, JsValue> {
    let peeked = peek_js(body, bytes, ms).await?;
    Ok((!peeked.is_null()).then(|| peeked.unchecked_into()))
}

/// Returns the time in milliseconds since 1970. On Cloudflare, the clock stands still while the
/// Worker computes.
pub fn now_ms() -> f64 {
    js_sys::Date::now()
}

pub fn timestamp_ms() -> i64 {
    now_ms() as i64
}

/// Formats a time in milliseconds since 1970 (RFC 3339).
pub fn date(ms: f64) -> String {
    js_sys::Date::new(&ms.into()).to_iso_string().into()
}

/// Unpredictable bytes, or `None` if the host has none.
pub fn random() -> Option<[u8; 16]> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).ok().map(|()| bytes)
}

/// Returns a unique name, for a request in the log or a create without an idempotency key.
pub fn random_name() -> String {
    random()
        .map(|bytes| URL_SAFE_NO_PAD.encode(bytes))
        .unwrap_or_default()
}

pub fn log(line: &str) {
    worker::console_log!("{line}");
}
