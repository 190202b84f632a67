use axum::{
    body::Bytes,
    extract::rejection::BytesRejection,
    http::{HeaderMap, StatusCode, header::CONTENT_TYPE},
};
use serde_json::Value;

use crate::http::{Refusal, header_text};

/// Parses the JSON body of a request. Refuses with 12 for a body that is too large, incomplete or
/// not JSON, and for another content type (HTTP 415).
pub(super) fn json_body(
    headers: &HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Result<Value, Refusal> {
    let body = body.map_err(|rejection| {
        refuse("too_large", "the body is too large or was cut off").with_status(rejection.status())
    })?;
    let content_type = header_text(headers, &CONTENT_TYPE).unwrap_or_default();
    let media_type = content_type.split(';').next().unwrap_or_default().trim();
    if !media_type.eq_ignore_ascii_case("application/json") {
        return Err(
            refuse("content_type", "the content type is not application/json")
                .with_status(StatusCode::UNSUPPORTED_MEDIA_TYPE),
        );
    }
    serde_json::from_slice(&body).map_err(|_| refuse("malformed", "the body is not JSON"))
}

fn refuse(reason: &'static str, message: &str) -> Refusal {
    Refusal::invalid_field("", reason, message)
}
