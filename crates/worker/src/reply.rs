//! Answers, as they leave the gateway.

use mediagate_core::Code;
use serde_json::{Map, Value, json};
use wasm_bindgen::JsValue;
use web_sys::{ReadableStream, Response, ResponseInit};

use crate::Refusal;
use crate::http::headers;

/// An answer before it is written.
#[derive(Debug)]
pub(crate) struct Reply {
    status: u16,
    code: Code,
    body: Body,
    headers: Vec<(&'static str, String)>,
}

/// What an answer consists of.
#[derive(Debug)]
enum Body {
    Json(String),
    /// Server-sent events, whose bytes this gateway does not touch.
    Events(Option<ReadableStream>),
}

impl Reply {
    /// A stream of events.
    pub(crate) fn events(stream: Option<ReadableStream>) -> Self {
        Reply { status: 200, code: Code::OK, body: Body::Events(stream), headers: Vec::new() }
    }

    /// Success, in the envelope.
    pub(crate) fn ok(data: Value) -> Self {
        Reply { status: 200, code: Code::OK, body: Body::Json(envelope(Code::OK, "ok", data)), headers: Vec::new() }
    }

    /// A bare JSON object, for what speaks no envelope.
    pub(crate) fn plain(body: Value) -> Self {
        Reply { status: 200, code: Code::OK, body: Body::Json(body.to_string()), headers: Vec::new() }
    }

    /// A refusal, in the envelope, with the request's id.
    pub(crate) fn refusal(refusal: Refusal, request_id: &str) -> Self {
        let Refusal { status, code, message, data, retry_after, mut headers } = refusal.with("request_id", request_id);
        headers.extend(retry_after.map(|it| ("retry-after", it.to_string())));
        Reply { status, code, body: Body::Json(envelope(code, &message, Value::Object(data))), headers }
    }

    pub(crate) fn status(&self) -> u16 {
        self.status
    }

    pub(crate) fn code(&self) -> Code {
        self.code
    }

    /// Adds a header.
    pub(crate) fn header(&mut self, name: &'static str, value: impl Into<String>) {
        self.headers.push((name, value.into()));
    }

    /// Writes it. The headers' values are our own words and numbers, so the platform takes them.
    pub(crate) fn write(&self) -> Result<Response, JsValue> {
        let is_json = matches!(self.body, Body::Json(_));
        let fixed = [
            ("content-type", if is_json { "application/json" } else { "text/event-stream" }),
            ("cache-control", "no-store"),
            ("x-content-type-options", "nosniff"),
            ("content-security-policy", "default-src 'none'; frame-ancestors 'none'"),
        ];
        let init = ResponseInit::new();
        init.set_status(self.status);
        init.set_headers(&headers(fixed.into_iter().chain(self.headers.iter().map(|it| (it.0, it.1.as_str()))))?);
        match &self.body {
            Body::Json(text) => Response::new_with_opt_str_and_init(Some(text), &init),
            Body::Events(stream) => Response::new_with_opt_readable_stream_and_init(stream.as_ref(), &init),
        }
    }
}

/// The text of an envelope.
pub(crate) fn envelope(code: Code, message: &str, data: Value) -> String {
    let members = [("code", json!(code.0)), ("message", json!(message)), ("data", data)];
    Value::Object(Map::from_iter(members.map(|(name, it)| (name.to_owned(), it)))).to_string()
}
