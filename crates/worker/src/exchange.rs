//! One request and its answer, with what is noted along the way.

use std::cell::Cell;

use serde_json::json;
use wasm_bindgen::JsValue;
use web_sys::{Request, Response};

use crate::cors;
use crate::http::Incoming;
use crate::platform::{log, now_ms, random_name};
use crate::refusal::Refusal;
use crate::reply::Reply;
use crate::session::{self, Caller};
use crate::settings::SettingsError;

/// One request with what is noted along its way.
pub(crate) struct Exchange {
    pub(crate) incoming: Incoming,
    request_id: String,
    /// Milliseconds since 1970.
    pub(crate) started: f64,
    /// Milliseconds spent waiting for the service.
    pub(crate) upstream_ms: Cell<f64>,
}

impl Exchange {
    pub(crate) fn new(request: Request) -> Self {
        let upstream_ms = Cell::new(0.0);
        Exchange { incoming: Incoming::new(request), request_id: random_name(), started: now_ms(), upstream_ms }
    }

    /// Writes the answer and its line in the log.
    pub(crate) fn finish(
        &self,
        reply: Result<Reply, Refusal>,
        operation: &str,
        origin: Option<&str>,
        caller: Option<&Caller>,
    ) -> Result<Response, JsValue> {
        let mut reply = reply.unwrap_or_else(|it| Reply::refusal(it, &self.request_id));
        let (upstream, total) = (self.upstream_ms.get(), now_ms() - self.started);
        reply.header("x-request-id", self.request_id.clone());
        reply.header("server-timing", format!("upstream;dur={upstream}, total;dur={total}"));
        cors::allow(&mut reply, origin);
        log(&json!({
            "request_id": self.request_id, "subject": caller.map(|it| session::fingerprint(&it.subject)),
            "operation": operation, "status": reply.status(), "code": reply.code().0,
            "upstream_ms": upstream, "total_ms": total,
        })
        .to_string());
        reply.write()
    }
}

/// Refuses everything, and says which setting is wrong. No page can read it: the list of origins may be what is wrong.
///
/// # Errors
/// The platform's own.
pub fn refuse_all(request: Request, error: &SettingsError) -> Result<Response, JsValue> {
    Exchange::new(request).finish(Err(Refusal::misconfigured(error.to_string())), "-", None, None)
}
