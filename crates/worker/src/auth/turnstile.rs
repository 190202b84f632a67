//! Verifies with Turnstile that a person requests an anonymous session.

use serde_json::{Value, json};
use wasm_bindgen::JsValue;
use web_sys::{Headers, Request, RequestInit, RequestRedirect};

use crate::crypto::Secret;
use crate::platform::http::{deadline, read_body, send};

/// Longest response token, in characters; Cloudflare's own bound.
const MAX_TOKEN_LEN: usize = 2048;
/// Largest verification response, in bytes.
const MAX_RESPONSE_BYTES: usize = 16_384;

/// Whether Turnstile verifies this response token. No response, a late one and an unreadable one are a no.
pub(crate) async fn verifies(url: &str, secret: &Secret, response: &str, address: Option<&str>) -> bool {
    if response.is_empty() || response.len() > MAX_TOKEN_LEN {
        return false;
    }
    let message = json!({"secret": secret.expose(), "response": response, "remoteip": address});
    deadline(post(url, &message)).await.flatten().is_some_and(|it| it["success"] == true)
}

async fn post(url: &str, message: &Value) -> Option<Value> {
    let request = request(url, message).ok()?;
    let result = send(&request).await.filter(web_sys::Response::ok)?;
    let bytes = read_body(&result, MAX_RESPONSE_BYTES).await.ok()?;
    serde_json::from_slice(&bytes).ok()
}

fn request(url: &str, message: &Value) -> Result<Request, JsValue> {
    let headers = Headers::new()?;
    headers.set("content-type", "application/json")?;
    let init = RequestInit::new();
    init.set_method("POST");
    init.set_redirect(RequestRedirect::Manual);
    init.set_headers(&headers);
    init.set_body(&JsValue::from_str(&message.to_string()));
    Request::new_with_str_and_init(url, &init)
}
