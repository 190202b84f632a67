use mediagate_access::refusal::Refusal;
use mediagate_core::Code;
use mediagate_messages::envelope::envelope;
use serde_json::Value;
use url::Url;
use wasm_bindgen::JsValue;
use web_sys::{Headers, ReadableStream, Response, ResponseInit};

#[derive(Debug)]
pub(crate) struct Reply {
    status: u16,
    code: Code,
    body: ReplyBody,
    headers: Vec<(&'static str, String)>,
}

#[derive(Debug)]
enum ReplyBody {
    Json(String),
    /// No body, for a 202, a 302 and a 304.
    Empty,
    /// A file, with its media type. Its bytes don't pass through wasm, as those of the events.
    File(String, ReadableStream),
    Events(Option<ReadableStream>),
}

impl Reply {
    fn new(status: u16, body: ReplyBody) -> Self {
        Reply {
            status,
            code: Code::OK,
            body,
            headers: Vec::new(),
        }
    }

    pub(crate) fn events(stream: Option<ReadableStream>) -> Self {
        Reply::new(200, ReplyBody::Events(stream))
    }

    /// Success, in the envelope.
    pub(crate) fn ok(data: Value) -> Self {
        Reply::bare_json(envelope(Code::OK, "ok", data))
    }

    /// 200 with JSON that is not an envelope.
    pub(crate) fn bare_json(body: String) -> Self {
        Reply::new(200, ReplyBody::Json(body))
    }

    /// 200 with a file, or 206 with a part, which `content_range` names.
    pub(crate) fn file(
        media_type: String,
        body: ReadableStream,
        content_range: Option<String>,
        cache_control: &str,
    ) -> Self {
        let status = if content_range.is_some() { 206 } else { 200 };
        let mut reply = Reply::new(status, ReplyBody::File(media_type, body));
        reply
            .headers
            .extend(content_range.map(|range| ("content-range", range)));
        // Safari plays no video of a server that does not state this.
        reply.header("accept-ranges", "bytes");
        reply.header("cache-control", cache_control);
        reply
    }

    /// 200 with the headers of a file of `size` bytes, if that is known, and no body.
    pub(crate) fn head_of_file(media_type: String, size: Option<u64>, cache_control: &str) -> Self {
        let mut reply = Reply::new(200, ReplyBody::Empty);
        reply.header("content-type", media_type);
        if let Some(size) = size {
            reply.header("content-length", size.to_string());
        }
        reply.header("accept-ranges", "bytes");
        reply.header("cache-control", cache_control);
        reply
    }

    /// 302. The address of the page is a secret, so it is not sent there.
    pub(crate) fn redirect(url: &Url, cache_control: &str) -> Self {
        let mut reply = Reply::new(302, ReplyBody::Empty);
        reply.header("location", url.as_str());
        reply.header("cache-control", cache_control);
        reply.header("referrer-policy", "no-referrer");
        reply
    }

    /// 304, because the caller's copy is current.
    pub(crate) fn not_modified() -> Self {
        Reply::new(304, ReplyBody::Empty)
    }

    /// JSON of another protocol. `code` is for the log.
    pub(crate) fn json(status: u16, code: Code, body: &Value) -> Self {
        let reply = Reply::new(status, ReplyBody::Json(body.to_string()));
        Reply { code, ..reply }
    }

    /// 202 without a body.
    pub(crate) fn accepted() -> Self {
        Reply::new(202, ReplyBody::Empty)
    }

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

    pub(crate) fn json_text(&self) -> Option<&str> {
        match &self.body {
            ReplyBody::Json(text) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn status(&self) -> u16 {
        self.status
    }

    pub(crate) fn code(&self) -> Code {
        self.code
    }

    pub(crate) fn header(&mut self, name: &'static str, value: impl Into<String>) {
        self.headers.push((name, value.into()));
    }

    /// Writes the reply. The header values are the gateway's own, so the platform accepts them.
    pub(crate) fn write(&self) -> Result<Response, JsValue> {
        let init = ResponseInit::new();
        init.set_status(self.status);
        init.set_headers(&self.headers()?.into());
        match &self.body {
            ReplyBody::Json(text) => Response::new_with_opt_str_and_init(Some(text), &init),
            ReplyBody::File(_, stream) => {
                Response::new_with_opt_readable_stream_and_init(Some(stream), &init)
            }
            ReplyBody::Empty => Response::new_with_opt_str_and_init(None, &init),
            ReplyBody::Events(stream) => {
                Response::new_with_opt_readable_stream_and_init(stream.as_ref(), &init)
            }
        }
    }

    /// Returns the headers of every reply, and the reply's own, which take precedence.
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

const FIXED_HEADERS: [(&str, &str); 3] = [
    ("cache-control", "no-store"),
    ("x-content-type-options", "nosniff"),
    (
        "content-security-policy",
        "default-src 'none'; frame-ancestors 'none'",
    ),
];
