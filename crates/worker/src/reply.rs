//! The gateway's HTTP responses.

use js_sys::JSON;
use mediagate_core::Code;
use serde::Serialize;
use serde_json::Value;
use wasm_bindgen::JsValue;
use web_sys::{ReadableStream, Response, ResponseInit};

use crate::platform::{json_object, response};
use crate::refusal::Refusal;

/// An HTTP response before it is written.
#[derive(Debug)]
pub(crate) struct Reply {
    status: u16,
    code: Code,
    body: Body,
    headers: Vec<(&'static str, String)>,
}

/// The body of a reply.
#[derive(Debug)]
enum Body {
    Json(String),
    /// None, as of a 202 and a 304.
    Empty,
    /// Server-sent events, whose bytes don't pass through wasm.
    Events(Option<ReadableStream>),
}

impl Reply {
    /// A stream of events.
    pub(crate) fn events(stream: Option<ReadableStream>) -> Self {
        Reply {
            status: 200,
            code: Code::OK,
            body: Body::Events(stream),
            headers: Vec::new(),
        }
    }

    /// Success, in the envelope.
    pub(crate) fn ok(data: Value) -> Self {
        Reply {
            status: 200,
            code: Code::OK,
            body: Body::Json(envelope(Code::OK, "ok", data)),
            headers: Vec::new(),
        }
    }

    /// 200 with JSON that is not an envelope.
    pub(crate) fn bare_json(body: String) -> Self {
        Reply {
            status: 200,
            code: Code::OK,
            body: Body::Json(body),
            headers: Vec::new(),
        }
    }

    /// 304: the caller's copy is current.
    pub(crate) fn not_modified() -> Self {
        Reply {
            status: 304,
            code: Code::OK,
            body: Body::Empty,
            headers: Vec::new(),
        }
    }

    /// JSON of another protocol, with an HTTP status and the code for the log.
    pub(crate) fn json(status: u16, code: Code, body: &Value) -> Self {
        Reply {
            status,
            code,
            body: Body::Json(body.to_string()),
            headers: Vec::new(),
        }
    }

    /// 202 without a body.
    pub(crate) fn accepted() -> Self {
        Reply {
            status: 202,
            code: Code::OK,
            body: Body::Empty,
            headers: Vec::new(),
        }
    }

    /// A refusal, in the envelope, with the request's id.
    pub(crate) fn refusal(refusal: Refusal, request_id: &str) -> Self {
        let Refusal {
            status,
            code,
            message,
            data,
            retry_after,
            mut headers,
        } = refusal.with("request_id", request_id);
        headers.extend(retry_after.map(|it| ("retry-after", it.to_string())));
        Reply {
            status,
            code,
            body: Body::Json(envelope(code, &message, Value::Object(data))),
            headers,
        }
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

    /// Writes the reply. Its header values are the gateway's own, so the platform accepts them.
    pub(crate) fn write(&self) -> Result<Response, JsValue> {
        let content_type = match self.body {
            Body::Json(_) => Some("application/json"),
            Body::Events(_) => Some("text/event-stream"),
            Body::Empty => None,
        };
        let fixed = [
            ("cache-control", "no-store"),
            ("x-content-type-options", "nosniff"),
            (
                "content-security-policy",
                "default-src 'none'; frame-ancestors 'none'",
            ),
        ];
        let own = self.headers.iter().map(|it| (it.0, it.1.as_str()));
        let content_type = content_type.map(|it| ("content-type", it));
        let headers = json_object(content_type.into_iter().chain(fixed).chain(own));
        match &self.body {
            Body::Json(text) => response(self.status, &headers, Some(text)),
            Body::Empty => response(self.status, &headers, None),
            Body::Events(stream) => {
                let init = ResponseInit::new();
                init.set_status(self.status);
                init.set_headers(&JSON::parse(&headers)?);
                Response::new_with_opt_readable_stream_and_init(stream.as_ref(), &init)
            }
        }
    }
}

/// An envelope as JSON.
pub(crate) fn envelope(code: Code, message: &str, data: Value) -> String {
    // Serialising strings and numbers into memory can't fail.
    serde_json::to_string(&Envelope {
        code: code.0,
        data,
        message,
    })
    .unwrap_or_default()
}

#[derive(Serialize)]
struct Envelope<'a> {
    code: i32,
    data: Value,
    message: &'a str,
}
