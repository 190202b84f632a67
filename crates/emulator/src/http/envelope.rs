//! The response envelope (§2): `{code, message, data}`.

use axum::{
    Json,
    http::StatusCode,
    response::{IntoResponse, Response},
};
use mediagate_core::Code;
use serde_json::{Value, json};

pub(crate) fn envelope(status: StatusCode, code: Code, message: &str, data: Value) -> Response {
    enveloped(
        status,
        code,
        json!({ "code": code.0, "message": message, "data": data }),
    )
}

pub(crate) fn enveloped(status: StatusCode, code: Code, body: Value) -> Response {
    let mut response = (status, Json(body)).into_response();
    response.extensions_mut().insert(EnvelopeCode(code));
    response
}

pub(crate) fn message_of(code: Code) -> &'static str {
    if code.is_documented() {
        code.message()
    } else {
        "unknown error"
    }
}

/// A response extension that marks an envelope, with its code. `--status-200` changes the HTTP
/// status of marked responses only.
#[derive(Clone, Copy)]
pub(crate) struct EnvelopeCode(pub(crate) Code);
