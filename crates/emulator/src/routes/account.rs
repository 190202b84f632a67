//! The model catalogue and the credit estimate, whose paths the document does not show (§4.1).

use axum::{
    body::Bytes,
    extract::{State, rejection::BytesRejection},
    http::HeaderMap,
    response::Response,
};
use mediagate_core::{CAPABILITIES, Capability, Code, find};
use serde_json::Value;

use super::body::json_body;
use crate::{
    app::SharedApp,
    command::fits,
    http::Refusal,
    scene::{Asset, Model},
};

/// `GET models`: every model with its `generation_options`, as `data.models`; the public assets, which the document says are
/// listed somewhere (§2), as `data.assets`; and `data.emulated`.
pub(super) async fn models(State(app): State<SharedApp>) -> Response {
    let account = app.account();
    let mut models: Vec<&Model> = account.scene.models.values().collect();
    // In the order of the document, the default model of each capability first.
    models.sort_by_key(|it| {
        (
            CAPABILITIES
                .iter()
                .position(|known| known.name() == it.capability),
            !it.default,
        )
    });
    let assets = account
        .scene
        .assets
        .values()
        .filter(|it| it.is_public())
        .map(Asset::entry);
    app.config.dialect.models_response(
        models.into_iter().map(Model::record).collect(),
        assets.collect(),
    )
}

/// `POST credits/estimate` with the body of a create ("with the same parameters", §4.1), or with `{capability, input}`: the
/// credits that the create would cost, as `data: {credits, capability, model_id}`. The input is validated as for a create,
/// and nothing is charged.
pub(super) async fn estimate(
    State(app): State<SharedApp>,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Result<Response, Refusal> {
    let body = json_body(&headers, body)?;
    let dialect = &app.config.dialect;
    let request = dialect.estimate.request(&body);
    let unknown = |path: &str| {
        let message = "this is the input of no capability; give one with a model_id of its own";
        Refusal::field(Code::INVALID_INPUT, path, "unknown_capability", message)
    };
    let capabilities = match &request.capability {
        Some(name) => vec![find(name).ok_or_else(|| unknown(&request.path))?],
        None => capabilities_of(&app, &request.input),
    };
    // Several capabilities may have the same fields, for files of other kinds.
    let mut refused = None;
    for capability in capabilities {
        let validated = match dialect.create.check(capability, &request.input) {
            Ok(()) => app.validate(capability, request.input.clone()).await,
            Err(refusal) => Err(refusal),
        };
        match validated {
            Ok(command) => {
                return Ok(dialect.estimate_response(
                    command.credits,
                    capability.name(),
                    &command.model.id,
                ));
            }
            Err(refusal) => drop(refused.get_or_insert(refusal)),
        }
    }
    Err(refused.unwrap_or_else(|| unknown("")))
}

/// The capabilities that a create's body may be for: that of its model, or all whose fields it has.
fn capabilities_of(app: &SharedApp, body: &Value) -> Vec<&'static Capability> {
    let model_id = body.get("model_id").and_then(Value::as_str);
    let named = model_id.and_then(|it| find(&app.account().scene.models.get(it)?.capability));
    match named {
        Some(capability) => vec![capability],
        None => CAPABILITIES
            .iter()
            .copied()
            .filter(|it| fits(it, body))
            .collect(),
    }
}
