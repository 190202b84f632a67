//! What the service's model catalogue and its credit estimation answer. Neither path is documented (§4.1): both are
//! settings, and an empty one switches the operation off.

use mediagate_core::{Expects, find};
use serde_json::{Value, json};

use super::{Call, body, prepare::prepare};
use crate::refusal::Refusal;
use crate::reply::Reply;
use crate::upstream::Decoded;

/// `GET /api/app/v1/models`.
pub(crate) async fn models(call: &Call<'_>) -> Result<Reply, Refusal> {
    list_models(call).await.map(Reply::ok)
}

/// The service's model catalogue, as it answers it.
pub(crate) async fn list_models(call: &Call<'_>) -> Result<Value, Refusal> {
    forward(call, "GET", &call.service.gateway.settings.models_path, None).await
}

/// `POST /api/app/v1/credits/estimate` with `{capability, input}`; the input is checked like a create's.
pub(crate) async fn estimate(call: &Call<'_>) -> Result<Reply, Refusal> {
    estimate_of(call, &body::json(call).await?).await.map(Reply::ok)
}

/// What the service estimates for `{capability, input}`, as it answers it.
pub(crate) async fn estimate_of(call: &Call<'_>, request: &Value) -> Result<Value, Refusal> {
    let name = request.get("capability").and_then(Value::as_str).unwrap_or_default();
    let Some(capability) = find(name) else {
        return Err(Refusal::invalid("unknown_capability", "give capability, the name of one, and input, its request"));
    };
    if !call.caller.scope.allows(capability) {
        return Err(Refusal::forbidden("scope", format!("the session token's scope does not allow {name}")));
    }
    let input = prepare(call, capability, request.get("input").unwrap_or(&Value::Null))?;
    let request = json!({"capability": name, "input": input}).to_string();
    forward(call, "POST", &call.service.gateway.settings.estimate_path, Some(&request)).await
}

async fn forward(call: &Call<'_>, method: &str, path: &str, request: Option<&str>) -> Result<Value, Refusal> {
    if path.is_empty() {
        return Err(Refusal::no_such_path());
    }
    let reply = call.service.ask(method, path, request).await?;
    match reply.decode(Expects::Data) {
        Decoded::Success { mut data, .. } => {
            call.service.seal(&mut data, None);
            Ok(data)
        }
        refused => Err(call.service.refuse(refused, reply.retry_after).0),
    }
}
