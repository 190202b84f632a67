//! Reading a request's body.

use serde_json::Value;

use super::Call;
use crate::http::{BodyError, read_all};
use crate::refusal::Refusal;

/// The JSON of a request, of bounded size and nesting.
pub(super) async fn json(call: &Call<'_>) -> Result<Value, Refusal> {
    let limit = call.service.gateway.settings.max_body_bytes;
    let bytes = read_all(call.incoming.raw.body(), limit).await.map_err(|it| match it {
        BodyError::TooLarge => Refusal::too_large(limit),
        BodyError::Broken => Refusal::invalid("broken_body", "the body broke off; send the request again"),
    })?;
    serde_json::from_slice(&bytes).map_err(|error| {
        let place = format!("line {} column {}", error.line(), error.column());
        let message = match bytes.is_empty() {
            true => "the body is empty; send a JSON object".to_owned(),
            false => format!("the body is no JSON that can be read, at {place}; check its syntax and nesting"),
        };
        Refusal::invalid("malformed_json", message)
    })
}
