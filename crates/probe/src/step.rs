//! The messages between the probe and its shell. None implements `Debug`, because an upload URL is
//! a secret.

use std::collections::BTreeMap;

use serde_json::Value;

use super::report::Report;
use mediagate_core::Capability;
use mediagate_dialect::{EnvelopeDialect, parse_json};

/// The next action of the shell.
pub enum Step {
    /// Send a request, follow no redirect, and pass on [`Event::Response`] or [`Event::Failed`].
    Send(Request),
    /// Wait this many milliseconds, and pass on [`Event::Continued`].
    Wait(u64),
    /// Ask a person for consent to create a task of this capability, which costs credits, and pass
    /// on [`Event::Consent`].
    Consent(&'static Capability),
    /// The probe has ended.
    Done(Report),
}

/// The result of a step.
pub enum Event {
    /// The probe may start or continue.
    Continued,
    /// The response to the request.
    Response(Response),
    /// No response came, for this reason.
    Failed(String),
    /// True if the person allows the task.
    Consent(bool),
    /// A person has interrupted the probe. It sends nothing more, and reports the results so far.
    Interrupted,
}

/// A request. The shell adds the API key.
#[derive(Clone, PartialEq)]
pub struct Request {
    /// The purpose, in words.
    pub purpose: &'static str,
    /// `GET`, `POST`, `PUT` or `OPTIONS`.
    pub method: &'static str,
    /// The whole URL.
    pub url: String,
    /// True if the request carries `Authorization: Bearer` with the API key. The key goes only to
    /// the origin of the base URL.
    pub has_key: bool,
    /// Headers, their names in lower case.
    pub headers: BTreeMap<String, String>,
    /// The body.
    pub body: Body,
}

/// The body of a request.
#[derive(Clone, PartialEq)]
pub enum Body {
    /// None.
    Empty,
    /// JSON, with `content-type: application/json`.
    Json(Value),
    /// The bytes of the sample file; the headers have its media type.
    Bytes(&'static [u8]),
    /// A form (`multipart/form-data`): fields, then the sample file as `file`.
    Form(BTreeMap<String, String>, &'static [u8]),
}

/// A response.
#[derive(Clone, PartialEq)]
pub struct Response {
    /// The HTTP status.
    pub status: u16,
    /// The body as text. The part after 1 MiB may be missing.
    pub text: String,
    /// The header `access-control-allow-origin`.
    pub allow_origin: Option<String>,
}

/// A decoded response.
#[derive(Clone, PartialEq)]
pub(super) struct DecodedResponse {
    pub(super) status: u16,
    /// The body, if it is JSON.
    pub(super) body: Option<Value>,
    /// The envelope's code, if the body is an envelope.
    pub(super) code: Option<i32>,
    pub(super) allow_origin: Option<String>,
}

impl DecodedResponse {
    pub(super) fn new(response: &Response) -> Self {
        let body: Option<Value> = parse_json(response.text.as_bytes()).ok();
        let code = body
            .as_ref()
            .and_then(|body| Some(EnvelopeDialect::default().read(body)?.code.0));
        DecodedResponse {
            status: response.status,
            body,
            code,
            allow_origin: response.allow_origin.clone(),
        }
    }

    /// Creates the response that stands for no response.
    pub(super) const fn none() -> Self {
        DecodedResponse {
            status: 0,
            body: None,
            code: None,
            allow_origin: None,
        }
    }

    /// Returns the body of a success. The code decides, or the HTTP status if there is no code.
    pub(super) fn success(&self) -> Option<&Value> {
        let is_success = self
            .code
            .map_or((200..300).contains(&self.status), |code| code == 0);
        self.body.as_ref().filter(|_| is_success)
    }

    /// Returns true if the service refused the key (§5).
    pub(super) fn is_unauthenticated(&self) -> bool {
        self.code.map_or(self.status == 401, |code| {
            code == mediagate_core::Code::UNAUTHENTICATED.0
        })
    }

    /// Returns true if another attempt after a pause may succeed.
    pub(super) fn is_busy(&self) -> bool {
        self.code.map_or(matches!(self.status, 429 | 503), |code| {
            code == mediagate_core::Code::RATE_LIMIT.0
        })
    }
}

/// Creates a request to upstream itself, with the key.
pub(super) fn request(
    purpose: &'static str,
    method: &'static str,
    url: String,
    body: Option<Value>,
) -> Request {
    let body = body.map_or(Body::Empty, Body::Json);
    Request {
        purpose,
        method,
        url,
        has_key: true,
        headers: BTreeMap::new(),
        body,
    }
}

/// The file that the probe uploads: a PNG of 64 × 64 pixels.
pub(super) static SAMPLE: &[u8] = include_bytes!("sample.png");
/// The sample's name, which `gateway/src/probe/send.js` repeats.
pub(super) const SAMPLE_NAME: &str = "mediagate-probe.png";
/// The sample's media type.
pub(super) const SAMPLE_TYPE: &str = "image/png";

/// The title of the probe's tasks, so that a person recognises them in the account.
pub(super) const TITLE: &str = "Mediagate probe";

/// Returns every string of a body, to recognise a response that repeats the request.
pub(super) fn strings(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => Vec::from([text.as_str()]),
        Value::Array(items) => items.iter().flat_map(strings).collect(),
        Value::Object(members) => members.values().flat_map(strings).collect(),
        _ => Vec::new(),
    }
}
