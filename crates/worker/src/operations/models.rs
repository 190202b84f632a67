//! The upstream's model catalogue and credit estimation. Neither path is documented (§4.1): both are settings, and an empty
//! one switches the operation off.

use mediagate_core::{PREFIX, find};
use serde_json::Value;

use super::Call;
use super::body::read_json;
use super::prepare::{Prepared, prepare};
use crate::identity::Item;
use crate::refusal::Refusal;
use crate::reply::Reply;

/// `GET /api/app/v1/models`.
pub(crate) async fn models(call: &Call<'_>) -> Result<Reply, Refusal> {
    fetch_models(call).await.map(Reply::ok)
}

/// The upstream's model catalogue, ids sealed. Where its models can be read, they are `models`; other members stay.
pub(crate) async fn fetch_models(call: &Call<'_>) -> Result<Value, Refusal> {
    let client = call.client();
    let mut response = client.fetch("GET", &call.settings().models_path, None).await?;
    let catalogue = call.settings().dialect.models.read(&response);
    let data = response.get_mut("data").map(Value::take).unwrap_or(response);
    let mut data = match catalogue {
        Some(catalogue) => {
            let mut members = data.as_object().cloned().unwrap_or_default();
            members.insert("models".into(), catalogue.records().into());
            Value::Object(members)
        }
        None => data,
    };
    client.seal(&mut data, None);
    Ok(data)
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
    let Prepared { body: input, excluded } =
        prepare(call, capability, request.get("input").unwrap_or(&Value::Null)).await?;
    if let Some(refusal) = excluded {
        return Err(refusal);
    }
    call.take(Item::Estimate, 0).await?;
    let path = [PREFIX, capability.path].concat();
    let body = call.settings().dialect.estimate.body(name, &path, &input).to_string();
    let client = call.client();
    let mut data = client.fetch_data("POST", &call.settings().estimate_path, Some(&body)).await?;
    client.seal(&mut data, None);
    Ok(data)
}
