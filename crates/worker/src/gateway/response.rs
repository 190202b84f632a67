//! Makes the response to a request, and writes their line in the log.

use std::time::Duration;

use mediagate_access::refusal::Refusal;
use mediagate_core::{Reason, object};
use mediagate_platform::{date, log as write_log, now_ms};
use mediagate_settings::{MCP_PATH, SettingsError};
use serde::Serialize;
use serde_json::{Map, Value};
use wasm_bindgen::JsValue;
use web_sys::{Request, Response};

use super::cors;
use crate::incoming::Incoming;
use crate::mcp;
use crate::reply::Reply;

/// The time for receiving the body of a request that is refused before its token is verified.
pub(super) const UNAUTHENTICATED_BODY: Duration = Duration::from_secs(1);

/// The most characters of an origin in the log and in a refusal.
pub(super) const MAX_LOGGED_LEN: usize = 256;

/// Makes the response and writes the log line. The page that sent the request may read the
/// response. If its origin is not allowed, the response is a refusal, which contains nobody's data.
pub(super) fn finish(
    incoming: &Incoming,
    reply: Result<Reply, Refusal>,
    operation: &str,
    subject: Option<String>,
) -> Result<Response, JsValue> {
    let mut line = Line {
        operation,
        subject,
        refused: match &reply {
            Ok(_) => Map::new(),
            Err(refusal) => refused(incoming, refusal),
        },
        ..Line::default()
    };
    let mut reply = reply.unwrap_or_else(|refusal| match incoming.path.as_str() {
        MCP_PATH => mcp::refused(refusal, &incoming.id),
        _ => Reply::refusal(refusal, &incoming.id),
    });
    line.status = reply.status();
    line.code = Some(reply.code().0);
    for (name, value) in log(incoming, line) {
        reply.header(name, value);
    }
    cors::allow(&mut reply, incoming.origin.as_deref());
    reply.write()
}

/// Returns the reason for a refusal, and the values that an operator needs to correct it.
fn refused(incoming: &Incoming, refusal: &Refusal) -> Map<String, Value> {
    // An error of the upstream may have a member of this name, with any value.
    let is_logged =
        |name: &str, value: &Value| matches!(name, "reason" | "setting") && value.is_string();
    let members = refusal
        .data
        .iter()
        .filter(|(name, value)| is_logged(name, value));
    let mut refused = object(members.map(|(name, value)| (name.clone(), value.clone())));
    if refusal.is(Reason::OriginNotAllowed)
        && let Some(origin) = &incoming.origin
    {
        // The sender chooses the header, so its length is limited.
        let origin: String = origin.chars().take(MAX_LOGGED_LEN).collect();
        refused.insert("origin".to_owned(), origin.into());
    }
    refused
}

/// Passes on a response that is complete: a file, or the response to a preflight.
pub(super) fn pass(
    incoming: &Incoming,
    response: Response,
    operation: &str,
) -> Result<Response, JsValue> {
    let line = Line {
        operation,
        status: response.status(),
        ..Line::default()
    };
    for (name, value) in log(incoming, line) {
        response.headers().set(name, &value)?;
    }
    Ok(response)
}

/// Writes the log line. Returns the headers `x-request-id` and `server-timing`.
fn log(incoming: &Incoming, line: Line<'_>) -> [(&'static str, String); 2] {
    let upstream = incoming.upstream_ms.get();
    let total = now_ms() - incoming.arrived_at;
    let line = Line {
        method: &incoming.method,
        request_id: &incoming.id,
        time: date(incoming.arrived_at),
        total_ms: total,
        upstream_ms: upstream,
        ..line
    };
    // Serialising strings and numbers into memory can't fail.
    write_log(&serde_json::to_string(&line).unwrap_or_default());
    [
        ("x-request-id", incoming.id.clone()),
        (
            "server-timing",
            format!("upstream;dur={upstream}, total;dur={total}"),
        ),
    ]
}

#[derive(Default, Serialize)]
struct Line<'a> {
    code: Option<i32>,
    method: &'a str,
    operation: &'a str,
    #[serde(flatten)]
    refused: Map<String, Value>,
    request_id: &'a str,
    status: u16,
    subject: Option<String>,
    /// The time at which the request arrived, as in RFC 3339.
    time: String,
    total_ms: f64,
    upstream_ms: f64,
}

/// Refuses a request while a setting is missing or wrong, and names the setting. A page of any
/// origin can read this response, because the list of origins may be the wrong setting. Only the
/// platform itself can fail.
pub async fn refuse_all(request: Request, error: &SettingsError) -> Result<Response, JsValue> {
    let incoming = Incoming::new(request);
    incoming.discard(UNAUTHENTICATED_BODY).await;
    if incoming.method == "OPTIONS" {
        return pass(&incoming, cors::preflight(&incoming, 0)?, "preflight");
    }
    finish(&incoming, Err(error.clone().into()), "-", None)
}
