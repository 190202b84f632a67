//! Reading a request's body.

use mediagate_core::Code;
use serde_json::Value;

use super::Call;
use crate::http::{BodyError, read_body_in_time};
use crate::json;
use crate::refusal::Refusal;

/// The JSON of a request, of bounded size, nesting and time: a caller may take as long as the service may.
pub(crate) async fn json(call: &Call<'_>) -> Result<Value, Refusal> {
    let settings = &call.service.gateway.settings;
    let limit = settings.max_body_bytes;
    let read = read_body_in_time(&call.incoming.raw, limit, settings.upstream_timeout_ms).await;
    let bytes = read.map_err(|it| match it {
        BodyError::TooLate => too_slow(),
        BodyError::TooLarge => Refusal::too_large(limit),
        BodyError::Broken => Refusal::invalid("broken_body", "the body broke off; send the request again"),
    })?;
    json::read(&bytes).map_err(|problem| {
        let message = match bytes.is_empty() {
            true => "the body is empty; send a JSON object".to_owned(),
            false => format!("the body is no JSON that can be read: {problem}; check its syntax and nesting"),
        };
        Refusal::invalid("malformed_json", message)
    })
}

fn too_slow() -> Refusal {
    let message = "the body did not arrive in time; send the request again over a faster connection";
    Refusal::new(408, Code::INVALID_INPUT, "slow_body", message)
}
