use std::sync::Arc;

use wasm_bindgen::JsValue;

use super::scope::member;
use crate::platform::NoResponse;

pub(super) fn no_response(thrown: JsValue) -> NoResponse {
    let message = member(&thrown, "message").and_then(|message| message.as_string());
    failed(message.as_deref().unwrap_or("the browser gave no reason"))
}

pub(super) fn failed(message: &str) -> NoResponse {
    // A browser reports a refused connection like a lost response.
    NoResponse {
        cause: Arc::from(Box::from(message)),
        obstacle: None,
    }
}
