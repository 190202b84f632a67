//! The model catalogue and the credit estimate, whose paths the document does not show (§4.1).

use axum::{
    body::Bytes,
    extract::{State, rejection::BytesRejection},
    http::HeaderMap,
    response::Response,
};
use mediagate_core::{CAPABILITIES, Code, find};
use serde_json::{Value, json};

use super::body::json_body;
use crate::{
    app::SharedApp,
    http::{Refusal, ok},
    scene::Model,
};

/// `GET models`: every model with its `generation_options`, as `data.models`.
pub(super) async fn models(State(app): State<SharedApp>) -> Response {
    let account = app.account();
    let mut models: Vec<&Model> = account.scene.models.values().collect();
    // In the order of the document, the default model of each capability first.
    models.sort_by_key(|it| (CAPABILITIES.iter().position(|known| known.name() == it.capability), !it.default));
    let models: Vec<Value> = models.into_iter().map(Model::record).collect();
    ok(json!({ "models": models }))
}

/// `POST credits/estimate` with `{capability, input}`: the credits that a create with the same input would cost, as
/// `data: {credits, capability, model_id}`. The input is validated as for a create, and nothing is charged.
pub(super) async fn estimate(
    State(app): State<SharedApp>,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Result<Response, Refusal> {
    let body = json_body(&headers, body)?;
    let name = body.get("capability").and_then(Value::as_str).unwrap_or_default();
    let capability = find(name).ok_or_else(|| {
        Refusal::field(Code::INVALID_INPUT, "capability", "unknown_capability", "not the name of a capability")
    })?;
    let command = app.validate(capability, body.get("input").cloned().unwrap_or_default()).await?;
    Ok(ok(json!({ "credits": command.credits, "capability": name, "model_id": command.model.id })))
}
