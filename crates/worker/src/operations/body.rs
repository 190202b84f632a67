//! Reads a request's body.

use mediagate_core::Reason;
use serde_json::Value;

use super::RequestContext;
use crate::platform::http::{BodyError, read_body_within};
use crate::platform::json;
use crate::refusal::Refusal;

/// Reads the JSON of a request. Its size and its nesting are bounded, and it may take as long as a
/// request to the upstream.
///
/// # Errors
/// 400, 408 or 413, with code 12 and the reason.
pub(crate) async fn read_json(context: &RequestContext<'_>) -> Result<Value, Refusal> {
    let settings = context.settings();
    let limit = settings.max_body_bytes;
    let read = read_body_within(&context.incoming.raw, limit, settings.upstream_timeout_ms).await;
    let bytes = read.map_err(|error| match error {
        BodyError::TooSlow => too_slow(),
        BodyError::TooLarge => Refusal::too_large(limit),
        BodyError::Incomplete => Refusal::from(Reason::BrokenBody),
    })?;
    let text = str::from_utf8(&bytes).map_err(|_| {
        Refusal::new(
            Reason::MalformedJson,
            "the body is not UTF-8; send JSON in UTF-8",
        )
    })?;
    json::read(text.as_bytes(), json::MAX_REQUEST_VALUES).map_err(|problem| {
        let message = if bytes.is_empty() {
            "the body is empty; send a JSON object".to_owned()
        } else {
            format!("the body is not valid JSON: {problem}; check its syntax and nesting")
        };
        Refusal::new(Reason::MalformedJson, message)
    })
}

fn too_slow() -> Refusal {
    Refusal::from(Reason::SlowBody)
}
