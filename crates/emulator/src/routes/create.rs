//! Creating tasks (§4.2, §4.3).

use std::sync::Arc;

use axum::{
    Json,
    body::Bytes,
    extract::{ConnectInfo, State, rejection::BytesRejection},
    http::{HeaderMap, StatusCode},
    response::{IntoResponse, Response},
};
use mediagate_core::{Capability, Code};
use serde_json::{Value, json};

use super::json_body;
use crate::{
    app::{App, Shared},
    checks::{self, Order},
    config::TextToImage,
    connection::Cord,
    directive::{Directive, Stage},
    faults,
    refusal::{Refusal, ok},
};

/// `POST {capability}`: a task that begins at once.
pub(super) async fn create(
    capability: &'static Capability,
    State(app): State<Shared>,
    ConnectInfo(cord): ConnectInfo<Cord>,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Result<Response, Refusal> {
    let body = json_body(&headers, body)?;
    let directive = directive(&body)?;
    if let Some(answer) = faults::strike(&directive, Stage::Create, &cord, &headers).await {
        return Ok(answer);
    }
    let order = checks::order(&app, capability, body).await?;
    app.account.charge(order.credits)?;
    if capability.may_answer_without_task && app.config.text_to_image != TextToImage::Task {
        return without_task(&app, order).await;
    }
    let asset = order.assets.first().map(|it| it.record());
    let task = app.start(order, directive);
    let mut data = json!({ "task": task.record() });
    if let Some(asset) = asset {
        data["asset"] = asset;
    }
    Ok(faults::answer(&task.directive, &headers, data))
}

/// What the title wishes for; 12 for a wish that is not understood.
fn directive(body: &Value) -> Result<Directive, Refusal> {
    let title = body.get("title").and_then(Value::as_str).unwrap_or_default();
    Directive::parse(title).map_err(|wish| {
        Refusal::field(Code::INVALID_INPUT, "title", "unknown_directive", format!("{wish:?} is not a directive"))
    })
}

/// The other forms in which text_to_image may answer, whose response the document does not show.
async fn without_task(app: &Arc<App>, order: Order) -> Result<Response, Refusal> {
    let form = app.config.text_to_image;
    if form == TextToImage::Empty {
        return Ok(StatusCode::OK.into_response());
    }
    let outputs = app.work(order).await.map_err(|_| Refusal::new(Code::SERVER_ERROR))?;
    let images: Vec<Value> = outputs.iter().map(|it| it.record()).collect();
    let data = json!({ "images": images });
    Ok(if form == TextToImage::Bare { Json(data).into_response() } else { ok(data) })
}
