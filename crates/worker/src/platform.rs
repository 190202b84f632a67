//! The clock, randomness, and the log.

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Serialize;
use web_sys::{AbortSignal, Request, RequestInit};
use worker::{Env, Response};

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

/// Asks the Durable Object of a name; `None` where it can't be reached, or has not answered in full within the limit.
/// The limit is kept by the platform's own timer, which goes on where a panic elsewhere in the isolate has ended this.
pub(crate) async fn ask_object(
    env: &Env,
    binding: &str,
    name: &str,
    ask: &impl Serialize,
    limit: Option<Duration>,
) -> Option<Response> {
    let stub = env.durable_object(binding).ok()?.get_by_name(name).ok()?;
    let init = RequestInit::new();
    init.set_method("POST");
    init.set_body(&serde_json::to_string(ask).ok()?.into());
    init.set_signal(limit.map(|it| AbortSignal::timeout_with_u32(it.as_millis() as u32)).as_ref());
    let request = Request::new_with_str_and_init("https://object/", &init).ok()?;
    let response = stub.fetch_with_request(request.into()).await.ok()?;
    (response.status_code() == 200).then_some(response)
}

/// Writes one line to the log.
pub(crate) fn log(line: &str) {
    worker::console_log!("{line}");
}
