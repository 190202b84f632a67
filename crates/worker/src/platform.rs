//! The clock, randomness, and the log.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Serialize;
use worker::{Env, Method, Request, RequestInit, Response};

use crate::Refusal;

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
pub(crate) async fn ask_object(env: &Env, binding: &str, name: &str, ask: &impl Serialize) -> Option<Response> {
    let stub = env.durable_object(binding).ok()?.get_by_name(name).ok()?;
    let mut init = RequestInit::new();
    init.with_method(Method::Post).with_body(Some(serde_json::to_string(ask).ok()?.into()));
    let request = Request::new_with_init("https://object/", &init).ok()?;
    let response = stub.fetch_with_request(request).await.ok()?;
    (response.status_code() == 200).then_some(response)
}

/// Writes one line to the log.
pub(crate) fn log(line: &str) {
    worker::console_log!("{line}");
}
