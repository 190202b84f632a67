//! Requests without a response.

use std::sync::Arc;

use wasm_bindgen::JsValue;

use super::scope::member;
use crate::platform::NoResponse;

/// What JavaScript threw, in words.
pub(super) fn no_response(thrown: JsValue) -> NoResponse {
    let message = member(&thrown, "message").and_then(|it| it.as_string());
    failed(message.as_deref().unwrap_or("the browser gave no reason"))
}

/// A failure, in words.
pub(super) fn failed(message: &str) -> NoResponse {
    // Browsers do not tell a refused connection from a response that was lost.
    NoResponse {
        cause: Arc::from(Box::from(message)),
        is_refused: false,
    }
}
