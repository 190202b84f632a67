//! The response envelope (§2): `{code, message, data}`.

use axum::{
    Json,
    http::StatusCode,
    response::{IntoResponse, Response},
};
use mediagate_core::Code;
use serde_json::{Value, json};

/// A success (HTTP 200, code 0) with its `data`.
pub(crate) fn ok(data: Value) -> Response {
    envelope(StatusCode::OK, Code::OK, "ok", data)
}

/// A response in the envelope. It is marked with [`EnvelopeCode`].
pub(crate) fn envelope(status: StatusCode, code: Code, message: &str, data: Value) -> Response {
    let mut response = (status, Json(json!({ "code": code.0, "message": message, "data": data }))).into_response();
    response.extensions_mut().insert(EnvelopeCode(code));
    response
}

/// A response extension: the response is an envelope with this code. `--status-200` changes the HTTP status of these
/// responses only.
#[derive(Clone, Copy)]
pub(crate) struct EnvelopeCode(pub(crate) Code);
