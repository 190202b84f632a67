//! One request and its response, and the line that the log has of them.

use std::cell::Cell;

use serde::Serialize;
use wasm_bindgen::JsValue;
use web_sys::{Request, Response};

use super::cors;
use crate::mcp;
use crate::platform::{Incoming, log as write_log, now_ms, random_name};
use crate::refusal::Refusal;
use crate::reply::Reply;
use crate::settings::{MCP_PATH, SettingsError};

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
        Exchange { incoming: Incoming::new(request), request_id: random_name(), started: now_ms(), upstream_ms }
    }

    /// Writes the response and the log line.
    pub(crate) fn finish(
        &self,
        reply: Result<Reply, Refusal>,
        operation: &str,
        origin: Option<&str>,
        subject: Option<String>,
    ) -> Result<Response, JsValue> {
        let mut reply = reply.unwrap_or_else(|it| match self.incoming.path.as_str() {
            MCP_PATH => mcp::refused(it, &self.request_id),
            _ => Reply::refusal(it, &self.request_id),
        });
        let headers = self.log(operation, subject, reply.status(), Some(reply.code().0));
        headers.into_iter().for_each(|(name, value)| reply.header(name, value));
        cors::allow(&mut reply, origin);
        reply.write()
    }

    /// Passes on a response that is complete: a file, or of a preflight.
    pub(crate) fn pass(&self, response: Response, operation: &str) -> Result<Response, JsValue> {
        for (name, value) in self.log(operation, None, response.status(), None) {
            response.headers().set(name, &value)?;
        }
        Ok(response)
    }

    /// Writes the log line; returns the headers `x-request-id` and `server-timing`.
    fn log(
        &self,
        operation: &str,
        subject: Option<String>,
        status: u16,
        code: Option<i32>,
    ) -> [(&'static str, String); 2] {
        let (upstream, total) = (self.upstream_ms.get(), now_ms() - self.started);
        let request_id = self.request_id.as_str();
        let line = Line { code, operation, request_id, status, subject, total_ms: total, upstream_ms: upstream };
        // Serialising strings and numbers into memory can't fail.
        write_log(&serde_json::to_string(&line).unwrap_or_default());
        [
            ("x-request-id", self.request_id.clone()),
            ("server-timing", format!("upstream;dur={upstream}, total;dur={total}")),
        ]
    }
}

/// The log line of a request.
#[derive(Serialize)]
struct Line<'a> {
    code: Option<i32>,
    operation: &'a str,
    request_id: &'a str,
    status: u16,
    /// A pseudonym of the caller.
    subject: Option<String>,
    total_ms: f64,
    upstream_ms: f64,
}

/// Refuses a request while a setting is missing or wrong, and names it. No page can read the response: the list of origins
/// may be what is wrong.
///
/// # Errors
/// Only those of the platform itself.
pub fn refuse_all(request: Request, error: &SettingsError) -> Result<Response, JsValue> {
    Exchange::new(request).finish(Err(Refusal::misconfigured(error.to_string())), "-", None, None)
}
