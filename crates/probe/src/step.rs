//! What the probe and its shell exchange. None of it has a `Debug`: an upload URL is a secret.

use std::collections::BTreeMap;

use serde_json::Value;

use super::report::Report;
use mediagate_core::Capability;
use mediagate_dialect::{EnvelopeDialect, parse_json};

/// What the shell does next.
pub enum Step {
    /// Send a request, follow no redirect, and pass on [`Event::Response`] or [`Event::Failed`].
    Send(Request),
    /// Wait this many milliseconds, and pass on [`Event::Continued`].
    Wait(u64),
    /// Find out from a person whether a task of this capability may be created, which costs credits, and pass on
    /// [`Event::Consent`].
    Consent(&'static Capability),
    /// The probe has ended.
    Done(Report),
}

/// What happened meanwhile.
pub enum Event {
    /// The probe may start, or go on.
    Continued,
    /// The response to the request.
    Response(Response),
    /// No response came; the string says why.
    Failed(String),
    /// Whether the task may be created.
    Consent(bool),
    /// The person wants it to end: the probe does nothing more, and ends with what it found.
    Interrupted,
}

/// A request. The API key is no part of it: the shell adds it.
#[derive(Clone, PartialEq)]
pub struct Request {
    /// What it is for, in words.
    pub purpose: &'static str,
    /// `GET`, `POST`, `PUT` or `OPTIONS`.
    pub method: &'static str,
    /// The whole URL.
    pub url: String,
    /// Whether it carries `Authorization: Bearer` with the API key: only to the origin of the base URL.
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
    /// The body as text; what is beyond 1 MiB may be left out.
    pub text: String,
    /// The header `access-control-allow-origin`.
    pub allow_origin: Option<String>,
}

/// A response as the probe reads it.
#[derive(Clone, PartialEq)]
pub(super) struct Reply {
    pub(super) status: u16,
    /// The body, where it is JSON.
    pub(super) body: Option<Value>,
    /// The envelope's code.
    pub(super) code: Option<i32>,
    pub(super) allow_origin: Option<String>,
}

impl Reply {
    pub(super) fn new(response: &Response) -> Self {
        let body: Option<Value> = parse_json(response.text.as_bytes()).ok();
        let code = body
            .as_ref()
            .and_then(|body| Some(EnvelopeDialect::default().read(body)?.code.0));
        Reply {
            status: response.status,
            body,
            code,
            allow_origin: response.allow_origin.clone(),
        }
    }

    /// No response.
    pub(super) const fn none() -> Self {
        Reply {
            status: 0,
            body: None,
            code: None,
            allow_origin: None,
        }
    }

    /// The body of a success: the code decides and, where there is none, the HTTP status.
    pub(super) fn success(&self) -> Option<&Value> {
        let is_success = self
            .code
            .map_or((200..300).contains(&self.status), |it| it == 0);
        self.body.as_ref().filter(|_| is_success)
    }

    /// Whether the key was refused (§5).
    pub(super) fn is_unauthenticated(&self) -> bool {
        self.code.map_or(self.status == 401, |it| {
            it == mediagate_core::Code::UNAUTHENTICATED.0
        })
    }

    /// Whether it is worth another try after a while.
    pub(super) fn is_busy(&self) -> bool {
        self.code.map_or(matches!(self.status, 429 | 503), |it| {
            it == mediagate_core::Code::RATE_LIMIT.0
        })
    }
}

/// A request to upstream itself, with the key.
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
/// Its name, which `gateway/src/probe/send.js` repeats.
pub(super) const SAMPLE_NAME: &str = "mediagate-probe.png";
/// Its media type.
pub(super) const SAMPLE_TYPE: &str = "image/png";

/// The title of the probe's tasks, so that a person recognises them in the account.
pub(super) const TITLE: &str = "Mediagate probe";

/// Every string of a body that the probe sent, so that a response that repeats one is recognised.
pub(super) fn strings(value: &Value) -> Vec<&str> {
    match value {
        Value::String(it) => Vec::from([it.as_str()]),
        Value::Array(items) => items.iter().flat_map(strings).collect(),
        Value::Object(members) => members.values().flat_map(strings).collect(),
        _ => Vec::new(),
    }
}
