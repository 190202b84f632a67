//! Asks Turnstile whether a person is behind a request for an anonymous session.

use serde_json::{Value, json};
use wasm_bindgen::JsValue;
use web_sys::{Headers, Request, RequestInit, RequestRedirect};

use crate::Secret;
use crate::http::{deadline, read_body};
use crate::upstream::send;

/// Longest response token that is passed on, in characters; Cloudflare's own bound.
const LONGEST: usize = 2048;
/// Largest verdict, in bytes.
const LARGEST: usize = 16_384;

/// Whether Turnstile vouches for this response token. Silence, delay and nonsense are a no.
pub(crate) async fn vouches(url: &str, secret: &Secret, response: &str, address: Option<&str>) -> bool {
    if response.is_empty() || response.len() > LONGEST {
        return false;
    }
    let question = json!({"secret": secret.expose(), "response": response, "remoteip": address});
    deadline(ask(url, &question)).await.flatten().is_some_and(|it| it["success"] == true)
}

async fn ask(url: &str, question: &Value) -> Option<Value> {
    let request = request(url, question).ok()?;
    let answer = send(&request).await.filter(web_sys::Response::ok)?;
    let bytes = read_body(&answer, LARGEST).await.ok()?;
    serde_json::from_slice(&bytes).ok()
}

fn request(url: &str, question: &Value) -> Result<Request, JsValue> {
    let headers = Headers::new()?;
    headers.set("content-type", "application/json")?;
    let init = RequestInit::new();
    init.set_method("POST");
    init.set_redirect(RequestRedirect::Manual);
    init.set_headers(&headers);
    init.set_body(&JsValue::from_str(&question.to_string()));
    Request::new_with_str_and_init(url, &init)
}
