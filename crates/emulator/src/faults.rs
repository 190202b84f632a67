//! Answers that go wrong on purpose, as a [`Directive`] wishes.

use std::{convert::Infallible, time::Duration};

use axum::{
    body::{Body, Bytes},
    http::{HeaderMap, StatusCode, header::AUTHORIZATION},
    response::{Html, IntoResponse, Response},
};
use futures_util::stream;
use mediagate_core::Code;
use serde_json::{Value, json};

use crate::{
    connection::Cord,
    directive::{Directive, Fault, Stage},
    refusal::{Refusal, envelope, ok},
};

/// Waits as long as was wished, and gives the answer that was wished in place of the right one.
pub(crate) async fn strike(directive: &Directive, stage: Stage, cord: &Cord, headers: &HeaderMap) -> Option<Response> {
    if directive.stage != stage {
        return None;
    }
    tokio::time::sleep(directive.slow).await;
    if let Some(fault) = directive.fault {
        return Some(failing(fault, cord));
    }
    let code = directive.code.filter(|it| *it != Code::OK)?;
    Some(refusing(directive, code, headers))
}

fn refusing(directive: &Directive, code: Code, headers: &HeaderMap) -> Response {
    let refusal = Refusal::new(code);
    let refusal = match directive.status {
        Some(status) => refusal.with_status(status),
        None => refusal,
    };
    let refusal = match code {
        Code::PAID_PLAN_REQUIRED => refusal.with_data(json!({ "paid_plan_required": {
            "required_plan": "pro", "current_plan": "free", "model_id": "wished-for",
        } })),
        Code::RATE_LIMIT => refusal.retry_after(1),
        _ => refusal,
    };
    if directive.echo_key { refusal.echoing(&echoed(headers)) } else { refusal }.into_response()
}

fn failing(fault: Fault, cord: &Cord) -> Response {
    const PAGE: &str = "<!doctype html><html><head><title>502 Bad Gateway</title></head>\
        <body><h1>502 Bad Gateway</h1><script>alert('never run this')</script></body></html>";
    match fault {
        Fault::Html => (StatusCode::BAD_GATEWAY, Html(PAGE)).into_response(),
        Fault::Empty => StatusCode::OK.into_response(),
        Fault::Reset => {
            cord.cut();
            StatusCode::OK.into_response()
        }
        Fault::Cut => cut_off(cord.clone()),
    }
}

/// The beginning of an envelope, and then no more.
fn cut_off(cord: Cord) -> Response {
    let pieces = stream::unfold(0, move |at| {
        let cord = cord.clone();
        async move {
            if at > 0 {
                // The first piece leaves before the connection does.
                tokio::time::sleep(Duration::from_millis(50)).await;
                cord.cut();
            }
            Some((Ok::<_, Infallible>(Bytes::from_static(br#"{"code":0,"message":"ok","data":{"task":"#)), at + 1))
        }
    });
    ([("content-type", "application/json")], Body::from_stream(pieces)).into_response()
}

/// The envelope of a task record, with the caller's key all over it where that was wished.
pub(crate) fn answer(directive: &Directive, headers: &HeaderMap, mut data: Value) -> Response {
    if !directive.echo_key {
        return ok(data);
    }
    let key = echoed(headers);
    data["task"]["debug"] = json!({ "authorization": key, "request": [{ "headers": { "Authorization": key } }] });
    envelope(StatusCode::OK, Code::OK, &format!("ok {key}"), data)
}

fn echoed(headers: &HeaderMap) -> String {
    headers.get(AUTHORIZATION).and_then(|it| it.to_str().ok()).unwrap_or_default().into()
}
