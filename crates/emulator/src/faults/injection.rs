use std::{convert::Infallible, time::Duration};

use axum::{
    body::{Body, Bytes},
    http::{HeaderMap, StatusCode, header::AUTHORIZATION},
    response::{Html, IntoResponse, Response},
};
use futures_util::{StreamExt, stream};
use mediagate_core::Code;
use serde_json::json;

use super::{
    directive::{Directive, Fault},
    rules::Faults,
};
use crate::{
    dialect::{Dialect, TaskResponse},
    http::{Refusal, ResetHandle, header_text},
};

pub(crate) struct Injection<'a> {
    pub(crate) directive: &'a Directive,
    /// The source of randomness for `jitter`.
    pub(crate) faults: &'a Faults,
    pub(crate) reset: &'a ResetHandle,
    pub(crate) headers: &'a HeaderMap,
}

impl Injection<'_> {
    /// Responds as the directive says: after its delay, and with its error instead of the response
    /// of `serve`. `serve` runs only if its response or its effect is needed.
    pub(crate) async fn apply(&self, serve: impl Future<Output = Response>) -> Response {
        tokio::time::sleep(
            self.directive.slow + self.directive.jitter.mul_f64(self.faults.random_fraction()),
        )
        .await;
        let response = if self.directive.late {
            let served = serve.await;
            self.replacement().unwrap_or(served)
        } else {
            match self.replacement() {
                Some(response) => response,
                None => serve.await,
            }
        };
        match self.directive.drip {
            Some(pause) => dripping(response, pause),
            None => response,
        }
    }

    fn replacement(&self) -> Option<Response> {
        if let Some(fault) = self.directive.fault {
            return Some(fault_response(fault, self.reset));
        }
        let code = self.directive.error_code()?;
        Some(error_response(self.directive, code, self.headers))
    }
}

/// Splits the body of a response into pieces of 16 bytes, with a pause before each.
fn dripping(response: Response, pause: Duration) -> Response {
    const PIECE_BYTES: usize = 16;
    let (parts, body) = response.into_parts();
    let pieces = body.into_data_stream().flat_map(|chunk| {
        let pieces: Vec<_> = match chunk {
            Ok(bytes) => bytes
                .chunks(PIECE_BYTES)
                .map(|piece| Ok(Bytes::copy_from_slice(piece)))
                .collect(),
            Err(error) => vec![Err(error)],
        };
        stream::iter(pieces)
    });
    let paused = pieces.then(move |piece| async move {
        tokio::time::sleep(pause).await;
        piece
    });
    Response::from_parts(parts, Body::from_stream(paused))
}

/// Returns the error response with this code, and with the data that the code has elsewhere.
fn error_response(directive: &Directive, code: Code, headers: &HeaderMap) -> Response {
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
    if directive.echo_key {
        refusal.echoing(&authorization(headers))
    } else {
        refusal
    }
    .into_response()
}

fn fault_response(fault: Fault, reset: &ResetHandle) -> Response {
    // The script shows if a client renders the page instead of reporting it.
    const PAGE: &str = "<!doctype html><html><head><title>502 Bad Gateway</title></head>\
        <body><h1>502 Bad Gateway</h1><script>alert('never run this')</script></body></html>";
    match fault {
        Fault::Html => (StatusCode::BAD_GATEWAY, Html(PAGE)).into_response(),
        Fault::Empty => StatusCode::OK.into_response(),
        Fault::Reset => {
            // The connection ends at the first write, so this response never arrives.
            reset.reset();
            StatusCode::OK.into_response()
        }
        Fault::Cut => truncated(reset.clone()),
    }
}

fn truncated(reset: ResetHandle) -> Response {
    let pieces = stream::unfold(0, move |index| {
        let reset = reset.clone();
        async move {
            if index > 0 {
                // A reset drops unsent data, so the first piece must leave before the reset.
                tokio::time::sleep(Duration::from_millis(50)).await;
                reset.reset();
            }
            Some((
                Ok::<_, Infallible>(Bytes::from_static(
                    br#"{"code":0,"message":"ok","data":{"task":"#,
                )),
                index + 1,
            ))
        }
    });
    (
        [("content-type", "application/json")],
        Body::from_stream(pieces),
    )
        .into_response()
}

/// Returns the response with a task record. With the directive `echo-key`, the response repeats the
/// Authorization header in `message` and in the record.
pub(crate) fn task_response(
    dialect: &Dialect,
    directive: &Directive,
    headers: &HeaderMap,
    response: TaskResponse,
) -> Response {
    if !directive.echo_key {
        return dialect.task_response(response);
    }
    let key = authorization(headers);
    let mut record = response.record;
    record["debug"] =
        json!({ "authorization": key, "request": [{ "headers": { "Authorization": key } }] });
    dialect.task_response(TaskResponse {
        record,
        echo: Some(key),
        ..response
    })
}

fn authorization(headers: &HeaderMap) -> String {
    header_text(headers, &AUTHORIZATION)
        .unwrap_or_default()
        .into()
}
