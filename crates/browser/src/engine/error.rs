//! The client's only error type.

use std::cell::Cell;

use js_sys::{Array, Object};
use mediagate_core::text::concat;
use mediagate_core::{Code, Envelope, Issue, Type, Value};
use wasm_bindgen::JsValue;

use crate::host;
use crate::value::Js;

/// The client's own codes. Those of the upstream (§7) are [`Code::name`].
pub mod code {
    /// An argument of the caller's is not valid, and not part of an input.
    pub const INVALID_ARGUMENT: &str = "invalid_argument";
    /// No response: the gateway is unreachable, or CORS keeps its response from this page.
    pub const NETWORK: &str = "network";
    /// The caller's signal was aborted.
    pub const ABORTED: &str = "aborted";
    /// The caller's timeout has passed.
    pub const TIMEOUT: &str = "timeout";
    /// A response that is not in the gateway's format.
    pub const UNREADABLE: &str = "unreadable";
    /// The storage did not accept a file.
    pub const UPLOAD_FAILED: &str = "upload_failed";
    /// The task ended in the state FAILED.
    pub const TASK_FAILED: &str = "task_failed";
    /// The task ended in the state EXPIRED.
    pub const TASK_EXPIRED: &str = "task_expired";

    /// All of them, which the package declares too (`pkg/error.d.ts`).
    pub const ALL: [&str; 8] =
        [INVALID_ARGUMENT, NETWORK, ABORTED, TIMEOUT, UNREADABLE, UPLOAD_FAILED, TASK_FAILED, TASK_EXPIRED];
}

/// An error that becomes a `MediagateError` in JavaScript. It is a JavaScript object of that error's members, so that it
/// and every `Result` with it are one word wide. It keeps its cause, never a token or a prompt.
#[derive(Debug)]
pub struct Error(Object);

impl Error {
    /// An error with its code, and a message of one line that says what is wrong and how to correct it.
    pub fn new(code: &str, message: &str) -> Self {
        Error(Object::new()).with("code", host::string(code)).with("message", host::string(message))
    }

    /// An argument that is not valid: `invalid_argument`.
    pub fn argument(message: &str) -> Self {
        Error::new(code::INVALID_ARGUMENT, message)
    }

    /// An input that is not valid, with all of its issues: `invalid_input`.
    pub fn invalid(issues: &[Issue]) -> Self {
        Error::from_code(Code::INVALID_INPUT, 0, "", &JsValue::from(issues_to_js(issues)), "")
    }

    /// An error response of the upstream or the gateway, by its HTTP status and its envelope.
    pub fn from_envelope(status: u16, envelope: &Envelope<Js>) -> Self {
        let code = envelope.code;
        let data = envelope.data.clone().unwrap_or(Js(JsValue::UNDEFINED));
        let reason = data.string("reason").unwrap_or_default();
        let error = Error::from_code(code, status, &reason, &data.member("errors"), &envelope.message);
        let mut error = error.with("status", status);
        for (member, field) in [("reason", "reason"), ("request_id", "requestId"), ("outcome", "outcome")] {
            error = error.with(field, data.member(member));
        }
        let may_pass = code.is_retryable() || status == 429 || (!code.is_documented() && status >= 500);
        if may_pass && reason != "budget" {
            error = error.retryable();
        }
        // The members of `data` that the error has no member for.
        error.with("details", host::omit(&data.0, "errors reason request_id outcome"))
    }

    fn from_code(code: Code, status: u16, reason: &str, issues: &JsValue, message: &str) -> Self {
        let listed = summary(&Js(issues.clone()));
        let message = [listed.as_str(), message, code.message(), "the gateway refused with an undocumented code"]
            .into_iter()
            .find(|it| !it.is_empty());
        let error = Error::new(code.cause(status, reason), message.unwrap_or_default()).with("appCode", code.0);
        if Js(issues.clone()).kind() == Type::List { error.with("issues", issues.clone()) } else { error }
    }

    /// An error of a response without an envelope. Its status says whether a retry may succeed.
    pub fn from_status(code: &str, message: &str, status: u16) -> Self {
        let error = Error::new(code, message).with("status", status);
        if status == 429 || status >= 500 { error.retryable() } else { error }
    }

    /// The same error with this member set; `undefined` leaves it as it is.
    pub fn with(self, name: &str, value: impl Into<JsValue>) -> Self {
        self.set(name, value.into())
    }

    fn set(self, name: &str, value: JsValue) -> Self {
        if !value.is_undefined() {
            host::set(&self.0, name, &value);
        }
        self
    }

    /// The same error, marked as one after which a retry may succeed.
    pub fn retryable(self) -> Self {
        self.with("retryable", true)
    }

    /// The outcome of a create: the one that the gateway reports, or else the one that the code implies; `None` where
    /// there was no response of the gateway's.
    pub fn outcome(&self) -> Option<String> {
        let from_code = || Some(Code(self.number("appCode")? as i32).outcome().name().to_owned());
        self.reported_outcome().or_else(from_code)
    }

    /// The outcome of a create that the gateway reports.
    pub fn reported_outcome(&self) -> Option<String> {
        host::string_member(&self.0, "outcome")
    }

    /// The same error, with a remedy appended to its message.
    pub fn with_remedy(self, remedy: &str) -> Self {
        let message = host::string_member(&self.0, "message").unwrap_or_default();
        self.with("message", host::string(&concat(&[&message, "; ", remedy])))
    }

    /// The gateway's reason for an unknown outcome of a create.
    pub fn outcome_cause(&self) -> Option<String> {
        Js(self.member("details")).string("cause")
    }

    /// Whether a retry may succeed.
    pub fn is_retryable(&self) -> bool {
        self.member("retryable").is_truthy()
    }

    /// The value of a member, such as `status`, where it is a number.
    pub fn number(&self, name: &str) -> Option<f64> {
        self.member(name).as_f64()
    }

    fn member(&self, name: &str) -> JsValue {
        host::member(&self.0, name)
    }
}

impl Clone for Error {
    /// A copy with members of its own: the same failure may reach several callers, each of whom adds other members.
    fn clone(&self) -> Self {
        Error(Object::assign(&Object::new(), &self.0))
    }
}

/// Issues as JavaScript sees them: `[{path, reason, message}]`.
pub fn issues_to_js(issues: &[Issue]) -> Array {
    issues
        .iter()
        .map(|it| host::object(&[("path", &it.path), ("reason", it.reason), ("message", &it.message)]))
        .collect()
}

/// The first three issues in one line; empty without issues.
fn summary(issues: &Js) -> String {
    let mut line = String::new();
    for issue in issues.items().iter().take(3) {
        let (Some(path), Some(message)) = (issue.string("path"), issue.string("message")) else { continue };
        line.push_str(if line.is_empty() { "invalid input: " } else { "; " });
        line.push_str(&path);
        line.push_str(if path.is_empty() { "" } else { " " });
        line.push_str(&message);
    }
    line
}

thread_local! {
    /// The class `MediagateError`. It is JavaScript's, so that it can be imported before the wasm is loaded. It is never
    /// dropped: a destructor would add the standard library's registry of destructors to the wasm.
    static CLASS: Cell<Option<&'static JsValue>> = const { Cell::new(None) };
}

/// Sets the class of errors. Its constructor takes an object of the error's members.
pub fn set_class(class: JsValue) {
    CLASS.set(Some(Box::leak(Box::new(class))));
}

impl From<Error> for JsValue {
    fn from(error: Error) -> JsValue {
        // The package's entry sets the class first. Without it, the error is a plain object of its members.
        let instance = CLASS.get().and_then(|it| host::construct(it, &Array::of1(&error.0)).ok());
        instance.unwrap_or(error.0.into())
    }
}
