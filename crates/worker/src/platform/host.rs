//! The clock, randomness, the log, and the functions of `host.js`, each of which does in one crossing what would take
//! wasm a dozen.

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Serialize, Serializer};
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{AbortController, ReadableStream, Request, Response};
use worker::Env;

#[wasm_bindgen(module = "/src/platform/host.js")]
extern "C" {
    /// The head of a request: method and URL, then one line for each header that every request is checked for.
    pub(super) fn head(request: &Request) -> String;

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
    /// One request with its whole response, a [`FetchResult`], whatever happens. The text is method and path, and in the
    /// next line the body.
    #[wasm_bindgen(method)]
    pub(crate) async fn send(this: &JsonClient, request: &str) -> JsValue;

    #[wasm_bindgen(catch, js_name = response)]
    fn response_js(status: u16, text: &str) -> Result<Response, JsValue>;

    #[wasm_bindgen(catch, js_name = executeSql)]
    fn execute_sql_js(sql: &JsValue, query: &str) -> Result<String, JsValue>;

    /// Runs SQL scripts, a JSON list, in one transaction of a Durable Object's storage.
    #[wasm_bindgen(catch, js_name = executeAll)]
    pub(super) fn execute_all(state: &JsValue, scripts: &str) -> Result<(), JsValue>;

    #[wasm_bindgen(catch, js_name = fetchObject)]
    async fn fetch_object_js(env: &Env, message: &str) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(catch, js_name = fetchObjectText)]
    async fn fetch_object_text_js(env: &Env, message: &str, ms: u32) -> Result<JsValue, JsValue>;

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

/// Sends a message to the Durable Object with this name; `None` where it can't be reached or fails.
pub(crate) async fn fetch_object(
    env: &Env,
    binding: &str,
    name: &str,
    message: &impl Serialize,
) -> Option<Response> {
    fetch_object_js(env, &object_message(binding, name, message)?)
        .await
        .ok()?
        .dyn_into()
        .ok()
}

/// The same for a response that is text; `None` too where it is not complete within the limit. The limit is a timer of
/// the host, which still fires after a panic elsewhere in the isolate.
pub(crate) async fn fetch_object_text(
    env: &Env,
    binding: &str,
    name: &str,
    message: &impl Serialize,
    limit: Duration,
) -> Option<String> {
    let message = object_message(binding, name, message)?;
    fetch_object_text_js(env, &message, limit.as_millis() as u32)
        .await
        .ok()?
        .as_string()
}

fn object_message(binding: &str, name: &str, message: &impl Serialize) -> Option<String> {
    Some(
        [
            binding,
            " ",
            name,
            "\n",
            &serde_json::to_string(message).ok()?,
        ]
        .concat(),
    )
}

/// A response of the gateway's own, its headers as JSON.
pub(crate) fn response(
    status: u16,
    headers: &str,
    body: Option<&str>,
) -> Result<Response, JsValue> {
    match body {
        Some(body) => response_js(status, &[headers, "\n", body].concat()),
        None => response_js(status, headers),
    }
}

/// The rows that a SQL statement returns; they and the statement's values are JSON.
pub(super) fn execute_sql(sql: &JsValue, statement: &str, values: &str) -> Result<String, JsValue> {
    execute_sql_js(sql, &[values, "\n", statement].concat())
}

/// Names with their values as a JSON object.
pub(crate) fn json_object<'a>(members: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let mut text = Vec::new();
    // Serialising strings into memory can't fail.
    let _ = serde_json::Serializer::new(&mut text).collect_map(members);
    String::from_utf8(text).unwrap_or_default()
}

/// Writes one line to the log.
pub(crate) fn log(line: &str) {
    worker::console_log!("{line}");
}
