//! The gateway's HTTP responses.

use js_sys::Uint8Array;
use mediagate_core::Code;
use serde::Serialize;
use serde_json::Value;
use url::Url;
use wasm_bindgen::JsValue;
use web_sys::{Headers, ReadableStream, Response, ResponseInit};

use crate::refusal::Refusal;

/// An HTTP response before it is written.
#[derive(Debug)]
pub(crate) struct Reply {
    status: u16,
    code: Code,
    body: ReplyBody,
    headers: Vec<(&'static str, String)>,
}

/// The body of a reply.
#[derive(Debug)]
enum ReplyBody {
    Json(String),
    /// No body, as of a 202, a 302 and a 304.
    Empty,
    /// A file, with its media type.
    File(String, Vec<u8>),
    /// Server-sent events, whose bytes don't pass through wasm.
    Events(Option<ReadableStream>),
}

impl Reply {
    /// A stream of events.
    pub(crate) fn events(stream: Option<ReadableStream>) -> Self {
        Reply {
            status: 200,
            code: Code::OK,
            body: ReplyBody::Events(stream),
            headers: Vec::new(),
        }
    }

    /// Success, in the envelope.
    pub(crate) fn ok(data: Value) -> Self {
        Reply {
            status: 200,
            code: Code::OK,
            body: ReplyBody::Json(envelope(Code::OK, "ok", data)),
            headers: Vec::new(),
        }
    }

    /// 200 with JSON that is not an envelope.
    pub(crate) fn bare_json(body: String) -> Self {
        Reply {
            status: 200,
            code: Code::OK,
            body: ReplyBody::Json(body),
            headers: Vec::new(),
        }
    }

    /// 200 with the bytes of a file.
    pub(crate) fn file(media_type: String, bytes: Vec<u8>, cache_control: &str) -> Self {
        Reply {
            status: 200,
            code: Code::OK,
            body: ReplyBody::File(media_type, bytes),
            headers: vec![("cache-control", cache_control.to_owned())],
        }
    }

    /// 302, to the URL of a result. The address of the page is a secret, so it is not sent there.
    pub(crate) fn redirect(url: &Url, cache_control: &str) -> Self {
        let headers = vec![
            ("location", url.as_str().to_owned()),
            ("cache-control", cache_control.to_owned()),
            ("referrer-policy", "no-referrer".to_owned()),
        ];
        Reply {
            status: 302,
            code: Code::OK,
            body: ReplyBody::Empty,
            headers,
        }
    }

    /// 304, because the caller's copy is current.
    pub(crate) fn not_modified() -> Self {
        Reply {
            status: 304,
            code: Code::OK,
            body: ReplyBody::Empty,
            headers: Vec::new(),
        }
    }

    /// JSON of another protocol, with an HTTP status and the code for the log.
    pub(crate) fn json(status: u16, code: Code, body: &Value) -> Self {
        Reply {
            status,
            code,
            body: ReplyBody::Json(body.to_string()),
            headers: Vec::new(),
        }
    }

    /// 202 without a body.
    pub(crate) fn accepted() -> Self {
        Reply {
            status: 202,
            code: Code::OK,
            body: ReplyBody::Empty,
            headers: Vec::new(),
        }
    }

    /// A refusal in the envelope, with the request's id.
    pub(crate) fn refusal(refusal: Refusal, request_id: &str) -> Self {
        let Refusal {
            status,
            code,
            message,
            data,
            retry_after,
            mut headers,
        } = refusal.with("request_id", request_id);
        headers.extend(retry_after.map(|seconds| ("retry-after", seconds.to_string())));
        Reply {
            status,
            code,
            body: ReplyBody::Json(envelope(code, &message, Value::Object(data))),
            headers,
        }
    }

    /// Returns the HTTP status.
    pub(crate) fn status(&self) -> u16 {
        self.status
    }

    /// Returns the application code, for the log.
    pub(crate) fn code(&self) -> Code {
        self.code
    }

    /// Adds a header.
    pub(crate) fn header(&mut self, name: &'static str, value: impl Into<String>) {
        self.headers.push((name, value.into()));
    }

    /// Writes the reply. Its header values are the gateway's own, so the platform accepts them.
    ///
    /// # Errors
    /// Only those of the platform itself.
    pub(crate) fn write(&self) -> Result<Response, JsValue> {
        let init = ResponseInit::new();
        init.set_status(self.status);
        init.set_headers(&self.headers()?.into());
        match &self.body {
            ReplyBody::Json(text) => Response::new_with_opt_str_and_init(Some(text), &init),
            ReplyBody::File(_, bytes) => {
                let bytes = Uint8Array::from(bytes.as_slice());
                Response::new_with_opt_js_u8_array_and_init(Some(&bytes), &init)
            }
            ReplyBody::Empty => Response::new_with_opt_str_and_init(None, &init),
            ReplyBody::Events(stream) => {
                Response::new_with_opt_readable_stream_and_init(stream.as_ref(), &init)
            }
        }
    }

    /// Returns the headers: those of every reply, and the reply's own, which take precedence.
    fn headers(&self) -> Result<Headers, JsValue> {
        let headers = Headers::new()?;
        for (name, value) in FIXED_HEADERS {
            headers.set(name, value)?;
        }
        match &self.body {
            ReplyBody::Json(_) => headers.set("content-type", "application/json")?,
            ReplyBody::Events(_) => {
                headers.set("content-type", "text/event-stream")?;
                // Proxies that compress or buffer hold events back.
                headers.set("cache-control", "no-store, no-transform")?;
                headers.set("x-accel-buffering", "no")?;
            }
            ReplyBody::File(media_type, _) => headers.set("content-type", media_type.as_str())?,
            ReplyBody::Empty => {}
        }
        for (name, value) in &self.headers {
            headers.set(name, value)?;
        }
        Ok(headers)
    }
}

/// The headers of every reply.
const FIXED_HEADERS: [(&str, &str); 3] = [
    ("cache-control", "no-store"),
    ("x-content-type-options", "nosniff"),
    (
        "content-security-policy",
        "default-src 'none'; frame-ancestors 'none'",
    ),
];

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
