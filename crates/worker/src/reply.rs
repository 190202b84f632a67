//! Answers, as they leave the gateway.

use js_sys::JSON;
use mediagate_core::Code;
use serde::Serialize;
use serde_json::Value;
use wasm_bindgen::JsValue;
use web_sys::{ReadableStream, Response, ResponseInit};

use crate::Refusal;
use crate::platform::{json_object, respond};

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
    /// None, as a 202 and a 304 have it.
    Nothing,
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

    /// The text of a bare JSON object, for what speaks no envelope.
    pub(crate) fn plain(body: String) -> Self {
        Reply { status: 200, code: Code::OK, body: Body::Json(body), headers: Vec::new() }
    }

    /// What the caller has is still what there is.
    pub(crate) fn not_modified() -> Self {
        Reply { status: 304, code: Code::OK, body: Body::Nothing, headers: Vec::new() }
    }

    /// A JSON object of another protocol, with a status, and the code that the log has of it.
    pub(crate) fn other(status: u16, code: Code, body: &Value) -> Self {
        Reply { status, code, body: Body::Json(body.to_string()), headers: Vec::new() }
    }

    /// 202, and nothing more to say.
    pub(crate) fn accepted() -> Self {
        Reply { status: 202, code: Code::OK, body: Body::Nothing, headers: Vec::new() }
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
        let kind = match self.body {
            Body::Json(_) => Some("application/json"),
            Body::Events(_) => Some("text/event-stream"),
            Body::Nothing => None,
        };
        let fixed = [
            ("cache-control", "no-store"),
            ("x-content-type-options", "nosniff"),
            ("content-security-policy", "default-src 'none'; frame-ancestors 'none'"),
        ];
        let own = self.headers.iter().map(|it| (it.0, it.1.as_str()));
        let kind = kind.map(|it| ("content-type", it));
        let headers = json_object(kind.into_iter().chain(fixed).chain(own));
        match &self.body {
            Body::Json(text) => respond(self.status, &headers, Some(text)),
            Body::Nothing => respond(self.status, &headers, None),
            Body::Events(stream) => {
                let init = ResponseInit::new();
                init.set_status(self.status);
                init.set_headers(&JSON::parse(&headers)?);
                Response::new_with_opt_readable_stream_and_init(stream.as_ref(), &init)
            }
        }
    }
}

/// The text of an envelope.
pub(crate) fn envelope(code: Code, message: &str, data: Value) -> String {
    // What is made of numbers and texts always can be written.
    serde_json::to_string(&Envelope { code: code.0, data, message }).unwrap_or_default()
}

#[derive(Serialize)]
struct Envelope<'a> {
    code: i32,
    data: Value,
    message: &'a str,
}
