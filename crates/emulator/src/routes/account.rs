use axum::{
    body::Bytes,
    extract::{State, rejection::BytesRejection},
    http::HeaderMap,
    response::Response,
};
use mediagate_core::Capability;
use serde_json::{Value, json};

use super::body::json_body;
use crate::{
    app::SharedApp, command::fits, config::Results, http::Refusal, jobs::needs_ffmpeg, scene::Model,
};

/// The document does not show a list of public assets (§2), so they are here, in `data.assets`.
pub(super) async fn models(State(app): State<SharedApp>) -> Response {
    let account = app.account();
    let mut models: Vec<&Model> = account.scene.models.values().collect();
    // In the order of the document, the default model of each capability first.
    models.sort_by_key(|model| {
        let position = app
            .config
            .capabilities()
            .position(|known| known.name() == model.capability);
        (position, !model.default)
    });
    let models = models.into_iter().map(|model| record(&app, model));
    let models = models.collect();
    let mut assets = Vec::new();
    for asset in account.scene.assets.values() {
        if asset.is_public() {
            assets.push(asset.entry(&app.base_url));
        }
    }
    app.config.dialect.models_response(models, assets)
}

/// Returns the record of a model. Without ffmpeg, `missing` names it in the models that need it.
fn record(app: &SharedApp, model: &Model) -> Value {
    let mut record = model.record();
    let capability = app.config.capability(&model.capability);
    if let Err(remedy) = &app.tools.ffmpeg
        && app.config.results == Results::Drawn
        && capability.is_some_and(needs_ffmpeg)
    {
        record["missing"] = json!({ "program": "ffmpeg", "remedy": **remedy });
    }
    record
}

/// `POST credits/estimate`: responds with the price of a create. The body is a create's ("with the
/// same parameters", §4.1), or `{capability, input}`. Nothing is charged. Refuses with 12 for a
/// body that fits no capability, or else as the create would.
pub(super) async fn estimate(
    State(app): State<SharedApp>,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Result<Response, Refusal> {
    let body = json_body(&headers, body)?;
    let dialect = &app.config.dialect;
    let (capabilities, input) = match body.get("capability").and_then(Value::as_str) {
        Some(name) => {
            let capability = app
                .config
                .capability(name)
                .ok_or_else(|| unknown("capability"))?;
            (vec![capability], body.get("input").unwrap_or(&Value::Null))
        }
        None => (capabilities_of(&app, &body), &body),
    };
    // Several capabilities may have the same fields, with files of different kinds. The
    // estimate is for the first capability that accepts the files.
    let mut refused = None;
    for capability in capabilities {
        let validated = match dialect.check_shapes(capability, input) {
            Ok(()) => app.validate(capability, input.clone()).await,
            Err(refusal) => Err(refusal),
        };
        match validated {
            Ok(command) => {
                let values = json!({
                    "credits": command.credits,
                    "capability": capability.name(),
                    "model_id": command.model.id,
                });
                return Ok(dialect.success(&dialect.estimate, values));
            }
            Err(refusal) => drop(refused.get_or_insert(refusal)),
        }
    }
    Err(refused.unwrap_or_else(|| unknown("")))
}

fn unknown(path: &str) -> Refusal {
    let message = "no capability has this name or takes this input; name a model in model_id";
    Refusal::invalid_field(path, "unknown_capability", message)
}

/// Returns the capabilities that a create's body may be for, by its model, or else by its fields.
fn capabilities_of(app: &SharedApp, body: &Value) -> Vec<&'static Capability> {
    let account = app.account();
    if let Some(id) = body.get("model_id").and_then(Value::as_str)
        && let Some(model) = account.scene.models.get(id)
        && let Some(capability) = app.config.capability(&model.capability)
    {
        return vec![capability];
    }
    let capabilities = app.config.capabilities();
    capabilities.filter(|known| fits(known, body)).collect()
}
