//! The upstream's model catalogue and credit estimation. Neither path is documented (§4.1): both are settings, and an empty
//! one switches the operation off.

use mediagate_core::find;
use serde_json::{Value, json};

use super::Call;
use super::body::read_json;
use super::prepare::prepare;
use crate::identity::Item;
use crate::refusal::Refusal;
use crate::reply::Reply;

/// `GET /api/app/v1/models`.
pub(crate) async fn models(call: &Call<'_>) -> Result<Reply, Refusal> {
    fetch_models(call).await.map(Reply::ok)
}

/// The upstream's model catalogue, as it returns it, ids sealed.
pub(crate) async fn fetch_models(call: &Call<'_>) -> Result<Value, Refusal> {
    fetch_sealed(call, "GET", &call.settings().models_path, None).await
}

/// `POST /api/app/v1/credits/estimate` with `{capability, input}`; the input is validated like a create's.
pub(crate) async fn estimate(call: &Call<'_>) -> Result<Reply, Refusal> {
    fetch_estimate(call, &read_json(call).await?).await.map(Reply::ok)
}

/// The upstream's estimate for `{capability, input}`, as it returns it, ids sealed.
pub(crate) async fn fetch_estimate(call: &Call<'_>, request: &Value) -> Result<Value, Refusal> {
    let name = request.get("capability").and_then(Value::as_str).unwrap_or_default();
    let Some(capability) = find(name) else {
        return Err(Refusal::invalid("unknown_capability", "give capability, the name of one, and input, its request"));
    };
    call.caller.authorize(capability)?;
    let input = prepare(call, capability, request.get("input").unwrap_or(&Value::Null))?;
    call.take(Item::Estimate, 0).await?;
    let request = json!({"capability": name, "input": input}).to_string();
    fetch_sealed(call, "POST", &call.settings().estimate_path, Some(&request)).await
}

async fn fetch_sealed(call: &Call<'_>, method: &str, path: &str, body: Option<&str>) -> Result<Value, Refusal> {
    let client = call.client();
    let mut data = client.fetch_data(method, path, body).await?;
    client.seal(&mut data, None);
    Ok(data)
}
