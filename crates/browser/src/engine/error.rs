//! The one error of the client.

use std::cell::Cell;

use js_sys::{Array, Object};
use mediagate_core::text::concat;
use mediagate_core::{Code, Envelope, Issue, Type, Value};
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

/// What went wrong, becoming a `MediagateError` in JavaScript: its members, kept there from the start. So it is one word
/// wide, and every `Result` on the way is too. It keeps its cause, never a token or a prompt.
#[derive(Debug)]
pub struct Error(Object);

impl Error {
    /// An error with its literal code, and one line that says what is wrong and the remedy.
    pub fn new(code: &str, message: &str) -> Self {
        Error(Object::new()).with("code", host::text(code)).with("message", host::text(message))
    }

    /// An argument that no call can work with.
    pub fn argument(message: &str) -> Self {
        Error::new(code::INVALID_ARGUMENT, message)
    }

    /// A request that is wrong in itself, with everything that is wrong with it.
    pub fn invalid(issues: &[Issue]) -> Self {
        Error::of_service(Code::INVALID_INPUT, &JsValue::from(issues_to_js(issues)), "")
    }

    /// The service's or the gateway's own refusal.
    pub fn refused(status: u16, envelope: &Envelope<Js>) -> Self {
        let code = envelope.code;
        let data = envelope.data.clone().unwrap_or(Js(JsValue::UNDEFINED));
        let mut error = Error::of_service(code, &data.member("errors"), &envelope.message).with("status", status);
        for (member, field) in [("reason", "reason"), ("request_id", "requestId"), ("outcome", "outcome")] {
            error = error.with(field, data.member(member));
        }
        if code.is_retryable() || status == 429 || (!code.is_documented() && status >= 500) {
            error = error.retryable();
        }
        // Everything in `data` that has no member of its own.
        error.with("details", host::without(&data.0, "errors reason request_id outcome"))
    }

    fn of_service(code: Code, issues: &JsValue, message: &str) -> Self {
        let listed = summary(&Js(issues.clone()));
        let message =
            [listed.as_str(), message, code.message(), "the gateway refused, with a code that is not documented"]
                .into_iter()
                .find(|it| !it.is_empty());
        let error = Error::new(code.name(), message.unwrap_or_default()).with("appCode", code.0);
        if Js(issues.clone()).kind() == Type::List { error.with("issues", issues.clone()) } else { error }
    }

    /// An error that an HTTP status tells most about.
    pub fn of_status(code: &str, message: &str, status: u16) -> Self {
        let error = Error::new(code, message).with("status", status);
        if status == 429 || status >= 500 { error.retryable() } else { error }
    }

    /// The same error with one more member, or another value of it; `undefined` leaves it as it is.
    pub fn with(self, name: &str, value: impl Into<JsValue>) -> Self {
        self.set(name, value.into())
    }

    fn set(self, name: &str, value: JsValue) -> Self {
        if !value.is_undefined() {
            host::set(&self.0, name, &value);
        }
        self
    }

    /// The same error, saying that the same again may go better.
    pub fn retryable(self) -> Self {
        self.with("retryable", true)
    }

    /// What the gateway says that a create has done, or else what its code means; `None` where it has not answered.
    pub fn outcome(&self) -> Option<String> {
        let of_code = || Some(Code(self.number("appCode")? as i32).outcome().name().to_owned());
        self.outcome_said().or_else(of_code)
    }

    /// What the gateway says that a create has done.
    pub fn outcome_said(&self) -> Option<String> {
        host::string(&self.0, "outcome")
    }

    /// The same error, its message longer by what can be done.
    pub fn with_remedy(self, remedy: &str) -> Self {
        let message = host::string(&self.0, "message").unwrap_or_default();
        self.with("message", host::text(&concat(&[&message, "; ", remedy])))
    }

    /// Why nobody knows what a create has done, as the gateway says.
    pub fn cause(&self) -> Option<String> {
        Js(self.member("details")).string("cause")
    }

    /// Whether the same again may go better.
    pub fn is_retryable(&self) -> bool {
        self.member("retryable").is_truthy()
    }

    /// The member's number, such as that of `status`, where it has one.
    pub fn number(&self, name: &str) -> Option<f64> {
        self.member(name).as_f64()
    }

    fn member(&self, name: &str) -> JsValue {
        host::member(&self.0, name)
    }
}

impl Clone for Error {
    /// A copy with members of its own: the same failure may reach several callers, who each learn more of it.
    fn clone(&self) -> Self {
        Error(Object::assign(&Object::new(), &self.0))
    }
}

/// The issues as JavaScript sees them: `[{path, reason, message}]`.
pub fn issues_to_js(issues: &[Issue]) -> Array {
    issues
        .iter()
        .map(|it| host::object(&[("path", &it.path), ("reason", it.reason), ("message", &it.message)]))
        .collect()
}

/// The first issues in one line; empty where there is none.
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
    /// The class of errors, which lives in JavaScript so that it can be imported before the wasm is loaded. Never
    /// dropped: a destructor would bring the standard library's registry of them.
    static CLASS: Cell<Option<&'static JsValue>> = const { Cell::new(None) };
}

/// Sets the class; its constructor takes the error's members.
pub fn set_class(class: JsValue) {
    CLASS.set(Some(Box::leak(Box::new(class))));
}

impl From<Error> for JsValue {
    fn from(error: Error) -> JsValue {
        // Without a class, which the package's entry sets first of all, the members stand alone.
        let made = CLASS.get().and_then(|it| host::construct(it, &Array::of1(&error.0)).ok());
        made.unwrap_or(error.0.into())
    }
}
