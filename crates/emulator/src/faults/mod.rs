//! Answers that go wrong on purpose, as a title or the scene's list of faults wishes.

mod directive;
mod rules;

use std::{convert::Infallible, time::Duration};

use axum::{
    body::{Body, Bytes},
    http::{HeaderMap, StatusCode, header::AUTHORIZATION},
    response::{Html, IntoResponse, Response},
};
use futures_util::{StreamExt, stream};
use mediagate_core::Code;
use serde_json::{Value, json};

pub(crate) use directive::{Directive, Stage};
pub(crate) use rules::{Faults, Rule};

use self::directive::Fault;
use crate::{
    connection::Cord,
    refusal::{Refusal, envelope, ok},
};

/// What strikes one request.
pub(crate) struct Strike<'a> {
    pub(crate) directive: &'a Directive,
    pub(crate) faults: &'a Faults,
    pub(crate) cord: &'a Cord,
    pub(crate) headers: &'a HeaderMap,
}

impl Strike<'_> {
    /// Waits as long as is wished, and answers with what is wished in place of the right answer, or spoils that one.
    pub(crate) async fn on(&self, serve: impl Future<Output = Response>) -> Response {
        tokio::time::sleep(self.directive.slow + self.directive.jitter.mul_f64(self.faults.part())).await;
        let response = if self.directive.late {
            let served = serve.await;
            self.instead().unwrap_or(served)
        } else {
            match self.instead() {
                Some(response) => response,
                None => serve.await,
            }
        };
        match self.directive.drip {
            Some(pause) => dripping(response, pause),
            None => response,
        }
    }

    /// The answer in place of the right one.
    fn instead(&self) -> Option<Response> {
        let code = || self.directive.answer().map(|code| refusing(self.directive, code, self.headers));
        self.directive.fault.map(|it| failing(it, self.cord)).or_else(code)
    }
}

/// The same answer, a few bytes at a time.
fn dripping(response: Response, pause: Duration) -> Response {
    const DROP: usize = 16;
    let (parts, body) = response.into_parts();
    let drops = body.into_data_stream().flat_map(|piece| {
        let drops: Vec<_> = match piece {
            Ok(bytes) => bytes.chunks(DROP).map(|it| Ok(Bytes::copy_from_slice(it))).collect(),
            Err(error) => vec![Err(error)],
        };
        stream::iter(drops)
    });
    let paused = drops.then(move |it| async move {
        tokio::time::sleep(pause).await;
        it
    });
    Response::from_parts(parts, Body::from_stream(paused))
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
