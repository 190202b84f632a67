//! One request and its response, and the line that the log has of them.

use std::cell::Cell;
use std::time::Duration;

use mediagate_core::Reason;
use serde::Serialize;
use serde_json::Value;
use wasm_bindgen::JsValue;
use web_sys::{Request, Response};

use super::cors;
use crate::mcp;
use crate::platform::{Incoming, log as write_log, now_ms, random_name};
use crate::refusal::Refusal;
use crate::reply::Reply;
use crate::settings::{MCP_PATH, SettingsError};

/// How long the body of a request is received that is refused before its token is verified.
pub(super) const UNAUTHENTICATED_BODY: Duration = Duration::from_secs(1);

/// Longest origin in the log and in a refusal, in characters.
pub(super) const MAX_LOGGED_LEN: usize = 256;

/// One request, its id and its timing.
pub(crate) struct Exchange {
    pub(crate) incoming: Incoming,
    request_id: String,
    /// Milliseconds since 1970.
    pub(crate) started: f64,
    /// Milliseconds spent waiting for the upstream.
    pub(crate) upstream_ms: Cell<f64>,
}

impl Exchange {
    pub(crate) fn new(request: Request) -> Self {
        let upstream_ms = Cell::new(0.0);
        Exchange {
            incoming: Incoming::new(request),
            request_id: random_name(),
            started: now_ms(),
            upstream_ms,
        }
    }

    /// Writes the response and the log line. The page that sent the request may read it: the response to one of an origin
    /// that is not allowed is a refusal, which has nothing of anyone's in it.
    pub(crate) fn finish(
        &self,
        reply: Result<Reply, Refusal>,
        operation: &str,
        subject: Option<String>,
    ) -> Result<Response, JsValue> {
        let refused = reply.as_ref().err().map(Refused::of);
        let mut line = Line {
            operation,
            subject,
            refused: refused.unwrap_or_default(),
            ..Line::default()
        };
        if line.refused.reason.as_deref() == Some(Reason::OriginNotAllowed.name()) {
            line.refused.origin = self
                .incoming
                .origin
                .as_ref()
                .map(|it| it.chars().take(MAX_LOGGED_LEN).collect());
        }
        let mut reply = reply.unwrap_or_else(|it| match self.incoming.path.as_str() {
            MCP_PATH => mcp::refused(it, &self.request_id),
            _ => Reply::refusal(it, &self.request_id),
        });
        (line.status, line.code) = (reply.status(), Some(reply.code().0));
        self.log(line)
            .into_iter()
            .for_each(|(name, value)| reply.header(name, value));
        cors::allow(&mut reply, self.incoming.origin.as_deref());
        reply.write()
    }

    /// Passes on a response that is complete: a file, or of a preflight.
    pub(crate) fn pass(&self, response: Response, operation: &str) -> Result<Response, JsValue> {
        let line = Line {
            operation,
            status: response.status(),
            ..Line::default()
        };
        for (name, value) in self.log(line) {
            response.headers().set(name, &value)?;
        }
        Ok(response)
    }

    /// Writes the log line; returns the headers `x-request-id` and `server-timing`.
    fn log(&self, line: Line<'_>) -> [(&'static str, String); 2] {
        let (upstream, total) = (self.upstream_ms.get(), now_ms() - self.started);
        let line = Line {
            request_id: &self.request_id,
            total_ms: total,
            upstream_ms: upstream,
            ..line
        };
        // Serialising strings and numbers into memory can't fail.
        write_log(&serde_json::to_string(&line).unwrap_or_default());
        [
            ("x-request-id", self.request_id.clone()),
            (
                "server-timing",
                format!("upstream;dur={upstream}, total;dur={total}"),
            ),
        ]
    }
}

/// The log line of a request.
#[derive(Default, Serialize)]
struct Line<'a> {
    code: Option<i32>,
    operation: &'a str,
    #[serde(flatten)]
    refused: Refused,
    request_id: &'a str,
    status: u16,
    /// A pseudonym of the caller.
    subject: Option<String>,
    total_ms: f64,
    upstream_ms: f64,
}

/// Why a request was refused, and what an operator needs to correct it.
#[derive(Default, Serialize)]
struct Refused {
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// The origin that is not allowed.
    #[serde(skip_serializing_if = "Option::is_none")]
    origin: Option<String>,
    /// The setting that is missing or wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    setting: Option<String>,
}

impl Refused {
    fn of(refusal: &Refusal) -> Self {
        let member = |name: &str| {
            refusal
                .data
                .get(name)
                .and_then(Value::as_str)
                .map(str::to_owned)
        };
        Refused {
            reason: member("reason"),
            origin: None,
            setting: member("setting"),
        }
    }
}

/// Refuses a request while a setting is missing or wrong, and names it. A page of any origin can read this: the list of
/// origins may be what is wrong.
///
/// # Errors
/// Only those of the platform itself.
pub async fn refuse_all(request: Request, error: &SettingsError) -> Result<Response, JsValue> {
    let exchange = Exchange::new(request);
    exchange.incoming.discard(UNAUTHENTICATED_BODY).await;
    if exchange.incoming.method == "OPTIONS" {
        return exchange.pass(cors::preflight(&exchange.incoming, 0)?, "preflight");
    }
    exchange.finish(
        Err(Refusal::misconfigured(error.setting, error.to_string())),
        "-",
        None,
    )
}
