//! The one error of the client.

use std::cell::RefCell;

use js_sys::{Array, Object};
use mediagate_core::{Code, Envelope, Issue, Outcome, Value};
use wasm_bindgen::JsValue;

use super::host;
use crate::value::Js;

/// Codes of the client's own; those of the service are [`Code::name`].
pub mod code {
    /// An argument that no call can work with.
    pub const INVALID_ARGUMENT: &str = "invalid_argument";
    /// No answer: the gateway could not be reached, or its answer not be read by this page.
    pub const NETWORK: &str = "network";
    /// The caller's signal.
    pub const ABORTED: &str = "aborted";
    /// The caller's time limit.
    pub const TIMEOUT: &str = "timeout";
    /// An answer that is none of the gateway's.
    pub const UNREADABLE: &str = "unreadable";
    /// The storage took no bytes.
    pub const UPLOAD_FAILED: &str = "upload_failed";
    /// The task ended in FAILED.
    pub const TASK_FAILED: &str = "task_failed";
    /// The task ended in EXPIRED.
    pub const TASK_EXPIRED: &str = "task_expired";
}

/// What went wrong, becoming a `MediagateError` in JavaScript. It keeps its cause, never a token or a prompt.
#[derive(Debug)]
pub struct Error {
    /// The literal code.
    pub code: &'static str,
    /// One line: what is wrong, and the remedy.
    pub message: String,
    /// Whether the same again may go better.
    pub retryable: bool,
    /// The service's code, where it said one.
    pub app_code: Option<Code>,
    /// The HTTP status, 0 where there was no answer.
    pub status: u16,
    /// Milliseconds that the gateway asked to wait.
    pub retry_after_ms: Option<u32>,
    fields: Object,
}

impl Error {
    /// An error of the client's own.
    pub fn new(code: &'static str, message: &str) -> Self {
        Error {
            code,
            message: message.into(),
            retryable: false,
            app_code: None,
            status: 0,
            retry_after_ms: None,
            fields: Object::new(),
        }
    }

    /// An argument that no call can work with.
    pub fn argument(message: &str) -> Self {
        Error::new(code::INVALID_ARGUMENT, message)
    }

    /// A request that is wrong in itself, with everything that is wrong with it.
    pub fn invalid(issues: &[Issue]) -> Self {
        let listed = issues_to_js(issues);
        let mut error = Error::new(Code::INVALID_INPUT.name(), &summary(&Js(listed.clone().into())));
        error.app_code = Some(Code::INVALID_INPUT);
        error.with("issues", listed).not_sent()
    }

    /// The service's or the gateway's own refusal.
    pub fn refused(status: u16, envelope: &Envelope<Js>) -> Self {
        let code = envelope.code;
        let data = envelope.data.clone().unwrap_or(Js(JsValue::UNDEFINED));
        let issues = data.member("errors");
        let said = if envelope.message.is_empty() { code.message() } else { &envelope.message };
        let message = match summary(&Js(issues.clone())) {
            listed if !listed.is_empty() => listed,
            _ if said.is_empty() => ["the gateway refused with code ", code.name()].concat(),
            _ => said.into(),
        };
        let mut error = Error::new(code.name(), &message);
        error.app_code = Some(code);
        error.status = status;
        error.retryable = code.is_retryable() || status == 429 || (!code.is_documented() && status >= 500);
        if host::is_array(&issues).unwrap_or(false) {
            error = error.with("issues", issues);
        }
        for (member, field) in [("reason", "reason"), ("request_id", "requestId"), ("outcome", "outcome")] {
            if let Some(text) = data.string(member) {
                error = error.with(field, host::text(&text));
            }
        }
        error.with("details", details(&data))
    }

    /// The same error with one more member in JavaScript.
    pub fn with(self, name: &str, value: impl Into<JsValue>) -> Self {
        host::set(&self.fields, name, &value.into());
        self
    }

    /// The same error under another name.
    pub fn renamed(self, code: &'static str, message: String) -> Self {
        Error { code, message, ..self }
    }

    /// Whether a member was given.
    pub fn has(&self, name: &str) -> bool {
        !Js((&self.fields).into()).member(name).is_undefined()
    }

    /// Says that nothing was sent, and so nothing charged.
    pub fn not_sent(self) -> Self {
        self.with("outcome", host::text(Outcome::NotSent.name()))
    }
}

impl Clone for Error {
    /// A copy with members of its own: the same failure may reach several callers, who each learn more of it.
    fn clone(&self) -> Self {
        Error { fields: Object::assign(&Object::new(), &self.fields), message: self.message.clone(), ..*self }
    }
}

/// Everything in `data` that has no member of its own.
fn details(data: &Js) -> JsValue {
    let rest = Object::new();
    for name in data.keys() {
        if !["errors", "reason", "request_id", "outcome"].contains(&name.as_str()) {
            host::set(&rest, &name, &data.member(&name));
        }
    }
    rest.into()
}

/// The issues as JavaScript sees them: `[{path, reason, message}]`.
pub fn issues_to_js(issues: &[Issue]) -> Array {
    issues.iter().map(issue_to_js).collect()
}

fn issue_to_js(issue: &Issue) -> Object {
    let object = Object::new();
    for (name, value) in [("path", issue.path.as_str()), ("reason", issue.reason), ("message", &issue.message)] {
        host::set(&object, name, &host::text(value));
    }
    object
}

/// The first issues in one line; empty where there is none.
fn summary(issues: &Js) -> String {
    let mut line = String::new();
    for issue in issues.items().iter().take(3) {
        let (Some(path), Some(message)) = (issue.string("path"), issue.string("message")) else { continue };
        for part in [
            if line.is_empty() { "invalid input: " } else { "; " },
            &path,
            if path.is_empty() { "" } else { " " },
            &message,
        ] {
            line.push_str(part);
        }
    }
    line
}

thread_local! {
    /// The class of errors, which lives in JavaScript so that it can be imported before the wasm is loaded.
    static CLASS: RefCell<JsValue> = const { RefCell::new(JsValue::UNDEFINED) };
}

/// Sets the class whose constructor takes a message and the error's members.
pub fn set_class(class: JsValue) {
    CLASS.set(class);
}

impl From<Error> for JsValue {
    fn from(error: Error) -> JsValue {
        let (code, retryable) = (error.code, error.retryable);
        let mut error = error.with("code", host::text(code)).with("retryable", retryable);
        if let Some(Code(number)) = error.app_code {
            error = error.with("appCode", number);
        }
        if error.status > 0 {
            let status = error.status;
            error = error.with("status", status);
        }
        if let Some(milliseconds) = error.retry_after_ms {
            error = error.with("retryAfter", f64::from(milliseconds) / 1000.0);
        }
        let class = CLASS.with_borrow(Clone::clone);
        let arguments = Array::of2(&host::text(&error.message), &error.fields);
        host::construct(&class, &arguments).unwrap_or_else(|_| js_sys::Error::new(&error.message).into())
    }
}
