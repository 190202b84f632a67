//! The model catalogue and the estimation of credits, whose paths the document does not show (§4.1).

use axum::{
    body::Bytes,
    extract::{State, rejection::BytesRejection},
    http::HeaderMap,
    response::Response,
};
use mediagate_core::{CAPABILITIES, Code, find};
use serde_json::{Value, json};

use super::json_body;
use crate::{
    app::Shared,
    checks,
    models::Model,
    refusal::{Refusal, ok},
};

/// `GET models`: every model with its `generation_options`.
pub(super) async fn models(State(app): State<Shared>) -> Response {
    let account = app.account();
    let mut models: Vec<&Model> = account.scene.models.values().collect();
    // As the document lists them, of each capability the default first.
    models.sort_by_key(|it| (CAPABILITIES.iter().position(|known| known.name() == it.capability), !it.default));
    let models: Vec<Value> = models.into_iter().map(Model::record).collect();
    ok(json!({ "models": models }))
}

/// `POST credits/estimate` with `{capability, input}`: what a create with the same input would cost. It is checked as
/// the create would be, and nothing is charged.
pub(super) async fn estimate(
    State(app): State<Shared>,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Result<Response, Refusal> {
    let body = json_body(&headers, body)?;
    let name = body.get("capability").and_then(Value::as_str).unwrap_or_default();
    let capability = find(name).ok_or_else(|| {
        Refusal::field(Code::INVALID_INPUT, "capability", "unknown_capability", "not the name of a capability")
    })?;
    let order = checks::order(&app, capability, body.get("input").cloned().unwrap_or_default()).await?;
    Ok(ok(json!({ "credits": order.credits, "capability": name, "model_id": order.model.id })))
}
