//! The clock, randomness, the log, and what `platform.js` does in one crossing.

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Serialize, Serializer};
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Request, Response};
use worker::Env;

use crate::Refusal;

#[wasm_bindgen(module = "/src/platform.js")]
extern "C" {
    /// The head of a request: method and address, and a line for each header that every request is asked for.
    pub(crate) fn head(request: &Request) -> String;

    /// A body of at most so many bytes; `undefined` where there is more.
    #[wasm_bindgen(catch)]
    pub(crate) async fn read(message: &JsValue, limit: usize) -> Result<JsValue, JsValue>;

    /// The same, where it comes in time; `null` otherwise.
    #[wasm_bindgen(catch, js_name = readInTime)]
    pub(crate) async fn read_in_time(message: &JsValue, limit: usize, milliseconds: u32) -> Result<JsValue, JsValue>;

    /// A call to the service: what came back, whatever happened.
    pub(crate) async fn exchange(
        url: &str,
        method: &str,
        headers: &str,
        body: Option<&str>,
        milliseconds: u32,
        limit: usize,
    ) -> JsValue;

    /// An answer, its headers as JSON.
    #[wasm_bindgen(catch)]
    pub(crate) fn respond(status: u16, headers: &str, text: Option<&str>) -> Result<Response, JsValue>;

    /// The rows that a statement gives, and the values it takes, as JSON.
    #[wasm_bindgen(catch)]
    pub(crate) fn query(sql: &JsValue, statement: &str, values: &str) -> Result<String, JsValue>;

    #[wasm_bindgen(catch)]
    async fn ask(env: &Env, binding: &str, name: &str, body: &str, ms: Option<u32>) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(catch, js_name = askForText)]
    async fn ask_for_text(env: &Env, binding: &str, name: &str, body: &str, ms: u32) -> Result<JsValue, JsValue>;

    /// What came back from the service.
    pub(crate) type Received;
    /// The HTTP status; 0 where there was none.
    #[wasm_bindgen(method, getter)]
    pub(crate) fn status(this: &Received) -> u16;
    /// The body, where it could be read.
    #[wasm_bindgen(method, getter)]
    pub(crate) fn body(this: &Received) -> Option<Vec<u8>>;
    /// `Retry-After`, where it was there.
    #[wasm_bindgen(method, getter, js_name = retryAfter)]
    pub(crate) fn retry_after(this: &Received) -> Option<String>;
    /// Why there is no body, in a word.
    #[wasm_bindgen(method, getter)]
    pub(crate) fn fault(this: &Received) -> Option<String>;
}

/// Milliseconds since 1970. Stands still while the Worker computes; moves when it waits.
pub(crate) fn now_ms() -> f64 {
    js_sys::Date::now()
}

/// Random bytes that nobody can guess.
pub(crate) fn random() -> Result<[u8; 16], Refusal> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|_| Refusal::internal("no_randomness"))?;
    Ok(bytes)
}

/// A name that nothing else has: of a request, to find it again in the log, or of a create that was given no key.
pub(crate) fn random_name() -> String {
    random().map(|it| URL_SAFE_NO_PAD.encode(it)).unwrap_or_default()
}

/// Asks the Durable Object of a name; `None` where it can't be reached.
pub(crate) async fn ask_object(env: &Env, binding: &str, name: &str, question: &impl Serialize) -> Option<Response> {
    let question = serde_json::to_string(question).ok()?;
    ask(env, binding, name, &question, None).await.ok()?.dyn_into().ok()
}

/// The same for an answer that is a text; `None` too where it has not come in full within the limit. The limit is kept by
/// the platform's own timer, which goes on where a panic elsewhere in the isolate has ended this.
pub(crate) async fn ask_object_for_text(
    env: &Env,
    binding: &str,
    name: &str,
    question: &impl Serialize,
    limit: Duration,
) -> Option<String> {
    let question = serde_json::to_string(question).ok()?;
    ask_for_text(env, binding, name, &question, limit.as_millis() as u32).await.ok()?.as_string()
}

/// Names with their values as a JSON object.
pub(crate) fn json_object<'a>(members: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let mut text = Vec::new();
    // Texts always can be written.
    let _ = serde_json::Serializer::new(&mut text).collect_map(members);
    String::from_utf8(text).unwrap_or_default()
}

/// Writes one line to the log.
pub(crate) fn log(line: &str) {
    worker::console_log!("{line}");
}
