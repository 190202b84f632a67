//! Creating tasks (§4.2, §4.3).

use std::sync::Arc;

use axum::{
    Extension, Json,
    body::Bytes,
    extract::{ConnectInfo, State, rejection::BytesRejection},
    http::{HeaderMap, StatusCode},
    response::{IntoResponse, Response},
};
use mediagate_core::{Capability, Code};
use serde_json::{Value, json};

use super::{json_body, upload::full};
use crate::{
    app::{App, Shared},
    checks::{self, Order},
    config::TextToImage,
    connection::Cord,
    faults::{self, Directive, Stage, Strike},
    refusal::{Refusal, ok},
};

/// `POST {capability}`: a task that begins at once.
pub(super) async fn create(
    capability: &'static Capability,
    State(app): State<Shared>,
    ConnectInfo(cord): ConnectInfo<Cord>,
    struck: Option<Extension<Directive>>,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Result<Response, Refusal> {
    let body = json_body(&headers, body)?;
    let wished = directive(&body)?;
    let serve = |directive| served(app.clone(), capability, directive, &headers, body);
    if wished == Directive::default() {
        // What strikes the path has struck the request already; the task still has its wishes.
        return serve(struck.map(|it| it.0).unwrap_or_default()).await;
    }
    let serve = serve(wished.clone());
    if wished.stage != Stage::Create {
        return serve.await;
    }
    let account = app.account();
    let strike = Strike { directive: &wished, faults: &account.faults, cord: &cord, headers: &headers };
    Ok(strike.on(async { serve.await.into_response() }).await)
}

async fn served(
    app: Shared,
    capability: &'static Capability,
    directive: Directive,
    headers: &HeaderMap,
    body: Value,
) -> Result<Response, Refusal> {
    let order = checks::order(&app, capability, body).await?;
    let account = app.account();
    account.charge(order.credits)?;
    if capability.may_answer_without_task && account.scene.text_to_image != TextToImage::Task {
        return without_task(&app, account.scene.text_to_image, order).await;
    }
    let asset = order.assets.first().map(|it| it.record());
    let task = app.start(order, directive).map_err(full)?;
    let mut data = json!({ "task": task.record(&app.base_url) });
    if let Some(asset) = asset {
        data["asset"] = asset;
    }
    Ok(faults::answer(&task.directive, headers, data))
}

/// What the title wishes for; 12 for a wish that is not understood.
fn directive(body: &Value) -> Result<Directive, Refusal> {
    let title = body.get("title").and_then(Value::as_str).unwrap_or_default();
    Directive::parse(title).map_err(|wish| {
        Refusal::field(Code::INVALID_INPUT, "title", "unknown_directive", format!("{wish:?} is not a directive"))
    })
}

/// The other forms in which text_to_image may answer, whose response the document does not show.
async fn without_task(app: &Arc<App>, form: TextToImage, order: Order) -> Result<Response, Refusal> {
    if form == TextToImage::Empty {
        return Ok(StatusCode::OK.into_response());
    }
    let outputs = app.work(order).await.map_err(|_| Refusal::new(Code::SERVER_ERROR))?;
    let images: Vec<Value> = outputs.iter().map(|it| it.record(&app.base_url)).collect();
    let data = json!({ "images": images });
    Ok(if form == TextToImage::Bare { Json(data).into_response() } else { ok(data) })
}
