use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

use mediagate_core::text::concat;
use mediagate_core::{Code, Envelope, Issue, MissingPart, Outcome, Type, Value, code_of};

use crate::platform::{Hint, HostValue, Platform};
use crate::snapshot::Snapshot;

pub(crate) const CONTENT_REFUSED: &str = "content_refused";

/// The kind of an error. Its name is the `code` of the package and of the Rust client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An argument of the caller is not valid. The fields of an input have `invalid_input` instead.
    InvalidArgument,
    /// The caller's function for a token, or for the response of a Turnstile widget, failed.
    TokenFailed,
    /// There was no response. The gateway is unreachable, or CORS hides its response from this
    /// page.
    Network,
    /// The caller aborted the call.
    Aborted,
    /// The caller's timeout has passed.
    Timeout,
    /// The response is not in the gateway's format.
    Unreadable,
    /// The storage did not accept a file.
    UploadFailed,
    /// The task ended in the state `FAILED`.
    TaskFailed,
    /// The task ended in the state `EXPIRED`.
    TaskExpired,
    /// The task has not ended in the time that the gateway follows tasks. It may still run.
    TaskUnfinished,
    /// The pipeline ended in the state `FAILED`.
    PipelineFailed,
    /// The pipeline ended in the state `CANCELLED`.
    PipelineCancelled,
    /// The client itself failed.
    Crashed,
    /// A refusal of the gateway or the upstream (§7), by the name of its cause, such as
    /// `rate_limit` or `forbidden`.
    Refused(&'static str),
}

impl Kind {
    /// Returns the name.
    pub fn name(self) -> &'static str {
        match self {
            Kind::InvalidArgument => "invalid_argument",
            Kind::TokenFailed => "token_failed",
            Kind::Network => "network",
            Kind::Aborted => "aborted",
            Kind::Timeout => "timeout",
            Kind::Unreadable => "unreadable",
            Kind::UploadFailed => "upload_failed",
            Kind::TaskFailed => "task_failed",
            Kind::TaskExpired => "task_expired",
            Kind::TaskUnfinished => "task_unfinished",
            Kind::PipelineFailed => "pipeline_failed",
            Kind::PipelineCancelled => "pipeline_cancelled",
            Kind::Crashed => "crashed",
            Kind::Refused(name) => name,
        }
    }
}

/// The error of a call. It contains no token and no prompt.
pub struct Error<P: Platform>(Box<Details<P>>);

/// The details of an error.
#[non_exhaustive]
pub struct Details<P: Platform> {
    /// The kind.
    pub kind: Kind,
    /// One line for a person.
    pub message: String,
    /// The remedy in the words of the gateway, for developers.
    pub remedy: Option<String>,
    /// Further remedies, for developers.
    pub hints: Vec<Hint>,
    /// The HTTP status; `None` without a response.
    pub status: Option<u16>,
    /// True if a retry may succeed.
    pub is_retryable: bool,
    /// The effect of a create on the account; `None` for other calls.
    pub outcome: Option<Outcome>,
    /// The key of a create that was sent.
    pub idempotency_key: Option<String>,
    /// The issues of an input: a list of `{path, reason, message, severity}`.
    pub issues: Option<P::Value>,
    /// The reason of a refusal, more precise than the kind.
    pub reason: Option<P::Value>,
    /// The id of the request at the gateway.
    pub request_id: Option<String>,
    /// The time to wait before a retry, in seconds.
    pub retry_after: Option<f64>,
    /// The numeric code of a refusal (§7).
    pub app_code: Option<i32>,
    /// The other members of a refusal's `data`.
    pub details: Option<P::Value>,
    /// The last snapshot of a task or a pipeline that ended without success.
    pub snapshot: Option<Arc<Snapshot<P::Value>>>,
    /// The step at which a pipeline failed.
    pub step: Option<String>,
    /// The error of the host.
    pub cause: Option<P::Cause>,
}

impl<P: Platform> Clone for Error<P> {
    fn clone(&self) -> Self {
        Error(self.0.clone())
    }
}

impl<P: Platform> Clone for Details<P> {
    fn clone(&self) -> Self {
        Details {
            kind: self.kind,
            message: self.message.clone(),
            remedy: self.remedy.clone(),
            hints: self.hints.clone(),
            status: self.status,
            is_retryable: self.is_retryable,
            outcome: self.outcome,
            idempotency_key: self.idempotency_key.clone(),
            issues: self.issues.clone(),
            reason: self.reason.clone(),
            request_id: self.request_id.clone(),
            retry_after: self.retry_after,
            app_code: self.app_code,
            details: self.details.clone(),
            snapshot: self.snapshot.clone(),
            step: self.step.clone(),
            cause: self.cause.clone(),
        }
    }
}

impl<P: Platform> core::ops::Deref for Error<P> {
    type Target = Details<P>;

    fn deref(&self) -> &Details<P> {
        &self.0
    }
}

impl<P: Platform> core::ops::DerefMut for Error<P> {
    fn deref_mut(&mut self) -> &mut Details<P> {
        &mut self.0
    }
}

impl<P: Platform> Error<P> {
    /// Makes an error without a response, after which a retry may not succeed.
    pub fn new(kind: Kind, message: &str) -> Self {
        Error(Box::new(Details {
            kind,
            message: message.into(),
            remedy: None,
            hints: Vec::new(),
            status: None,
            is_retryable: false,
            outcome: None,
            idempotency_key: None,
            issues: None,
            reason: None,
            request_id: None,
            retry_after: None,
            app_code: None,
            details: None,
            snapshot: None,
            step: None,
            cause: None,
        }))
    }

    /// Makes the error of a response from another server. A retry may succeed after 429 and 5xx.
    pub(crate) fn of_status(kind: Kind, message: &str, status: u16) -> Self {
        let mut error = Error::new(kind, message);
        // 0 stands for something that is not a response, from a middleware of the caller.
        error.status = (status > 0).then_some(status);
        error.is_retryable = status == 429 || status >= 500;
        error
    }

    /// Makes the error of a request whose body is too large for its server, or for a proxy.
    pub(crate) fn too_large(kind: Kind) -> Self {
        let (message, reason) = if kind == Kind::UploadFailed {
            let message = "the file is too large for the server that receives it";
            (message, "file_too_large")
        } else {
            ("the request is too large for the gateway", "body_too_large")
        };
        let mut error = Error::new(kind, message).hint(Hint::RaiseBodyLimit);
        error.reason = Some(P::Value::from_text(reason));
        error
    }

    pub(crate) fn missing(status: u16, part: MissingPart) -> Self {
        Error::not_a_gateway(status, part.name())
    }

    pub(crate) fn not_a_gateway(status: u16, reason: &str) -> Self {
        let message = "the response is not a Mediagate gateway's";
        let mut error = Error::of_status(Kind::Unreadable, message, status);
        error.hints.push(Hint::CheckUrl);
        error.reason = Some(P::Value::from_text(reason));
        error
    }

    /// Makes the error of an input that is not valid. Its kind is `invalid_input`, or a more
    /// precise code of the upstream document, such as `voice_asset_required`.
    pub(crate) fn invalid_input(issues: &[Issue]) -> Self {
        let code = code_of(issues);
        let mut error = Error::new(Kind::Refused(code.name()), code.message());
        error.app_code = Some(code.0);
        error.add_issues(issues_value(issues));
        error
    }

    pub(crate) fn refused(status: u16, envelope: &Envelope<P::Value>) -> Self {
        let Envelope {
            code,
            message,
            data,
        } = envelope;
        let member = |name: &str| data.as_ref().and_then(|data| data.get(name));
        let reason = member("reason");
        // The only reasons that narrow a code down (`Code::cause`).
        let cause = ["upstream_credentials", "budget"]
            .into_iter()
            .find(|cause| reason.as_ref().is_some_and(|reason| reason.is(cause)))
            .unwrap_or_default();
        let may_pass =
            code.is_retryable() || status == 429 || (!code.is_documented() && status >= 500);
        let message = message
            .as_ref()
            .and_then(Value::text)
            .filter(|text| !text.is_empty());
        let text = message.as_deref().unwrap_or(code.message());
        let kind = Kind::Refused(code.cause(status, cause));
        let is_content = reason
            .as_ref()
            .is_some_and(|reason| reason.is(CONTENT_REFUSED));
        let (text, remedy) = if is_content {
            // The sentence of the provider, which may have semicolons.
            (after_message(code.message(), text).unwrap_or(text), None)
        } else if text.trim().eq_ignore_ascii_case(code.message()) {
            (sentence(*code), None)
        } else {
            divided(*code, text)
        };
        let mut error = Error::new(kind, text);
        error.remedy = remedy.map(String::from);
        if is_content {
            error.hints.push(Hint::ChangeContent);
        }
        error.status = Some(status);
        // A budget stays used up for much longer than the retries take.
        error.is_retryable = may_pass && cause != "budget";
        error.app_code = Some(code.0);
        error.request_id = member("request_id").and_then(|id| Some(String::from(&*id.text()?)));
        error.details = Some(details(data.as_ref()));
        if let Some(issues) = member("errors") {
            error.add_issues(issues);
        }
        error.reason = reason;
        error
    }

    #[must_use]
    pub(crate) fn at(mut self, path: &str) -> Self {
        self.message = concat(&[path, ": ", &self.message]);
        self
    }

    /// Adds a hint.
    #[must_use]
    pub fn hint(mut self, hint: Hint) -> Self {
        self.hints.push(hint);
        self
    }

    #[must_use]
    pub(crate) fn retryable(mut self) -> Self {
        self.is_retryable = true;
        self
    }

    /// Adds the error of the host.
    #[must_use]
    pub fn caused_by(mut self, cause: P::Cause) -> Self {
        self.cause = Some(cause);
        self
    }

    /// Returns the wait that `Retry-After` requires, in milliseconds.
    pub(crate) fn retry_after_ms(&self) -> Option<u32> {
        self.retry_after.map(|seconds| (seconds * 1000.0) as u32)
    }

    /// Adds issues. The message becomes the documented message of the code, and the first three
    /// issues.
    fn add_issues(&mut self, issues: P::Value) {
        let code = self.app_code.map_or(Code::INVALID_INPUT, Code);
        let mut message = String::new();
        // The message is one line, and `issues` has the rest.
        for issue in issues.items().take(3) {
            let text = |name| issue.get(name).and_then(|member| member.text());
            if let (Some(path), Some(problem)) = (text("path"), text("message")) {
                if message.is_empty() {
                    message.push_str(code.message());
                    message.push_str(": ");
                } else {
                    message.push_str("; ");
                }
                message.push_str(if path.is_empty() { "the input" } else { &path });
                message.push(' ');
                message.push_str(&problem);
            }
        }
        if !message.is_empty() {
            self.message = message;
        }
        self.issues = (issues.kind() == Type::List).then_some(issues);
    }

    /// Returns the remedies in the words of the platform; `None` if there are none.
    pub fn hint_text(&self) -> Option<String> {
        let mut text = self.remedy.clone().unwrap_or_default();
        for hint in &self.hints {
            text = concat(&[
                &text,
                if text.is_empty() { "" } else { "; " },
                P::hint(*hint),
            ]);
        }
        (!text.is_empty()).then_some(text)
    }
}

/// Returns the sentence for a refusal that has only the documented message of its code (§7).
fn sentence(code: Code) -> &'static str {
    match code {
        Code::INVALID_INPUT => "the input is not valid",
        Code::UNAUTHENTICATED => "the session has ended; sign in again",
        Code::RATE_LIMIT => "there are too many requests at once; try again in a moment",
        Code::SERVER_ERROR => "the media service failed; try again later",
        Code::INSUFFICIENT_CREDITS => {
            "there are too few credits for this; ask the owner of the account for more"
        }
        Code::ASSET_CATEGORY_MISMATCH => {
            "this is of another kind than the field needs; choose another"
        }
        Code::VOICE_ASSET_REQUIRED => "a voice is missing; choose one",
        Code::PROVIDER_ERROR => "the model failed; try again, or choose another model",
        Code::PROVIDER_TIMEOUT => "the model did not respond in time; try again later",
        Code::ASSET_LOCKED => "this asset is locked; choose another",
        Code::ASSET_EXPIRED => "this asset has expired; choose another",
        Code::PAID_PLAN_REQUIRED => "this model needs a higher plan; choose another model",
        Code::INVALID_MODEL => "this model is not available; choose another",
        _ => "the gateway refused with an undocumented code",
    }
}

/// Divides a message of the gateway itself into the problem and the remedy. The gateway writes them
/// after the documented message of the code, and a semicolon between them. A message of the
/// upstream is the problem as a whole.
fn divided(code: Code, text: &str) -> (&str, Option<&str>) {
    let is_own = after_message(code.message(), text)
        .or_else(|| after_message("forbidden", text))
        .is_some();
    match text.split_once("; ").filter(|_| is_own) {
        Some((problem, remedy)) => (problem, Some(remedy)),
        None => (text, None),
    }
}

fn after_message<'a>(message: &str, text: &'a str) -> Option<&'a str> {
    text.strip_prefix(message)?.strip_prefix(": ")
}

fn details<V: HostValue>(data: Option<&V>) -> V {
    let Some(data) = data.filter(|data| data.kind() == Type::Object) else {
        return V::from_members(Vec::new());
    };
    let mut rest = data.clone();
    for shown in ["errors", "reason", "request_id", "outcome"] {
        rest = rest.without(shown);
    }
    rest
}

/// Makes a list of issues, `[{path, reason, message, severity}]`.
pub fn issues_value<V: HostValue>(issues: &[Issue]) -> V {
    V::from_items(issues.iter().map(issue_value).collect())
}

fn issue_value<V: HostValue>(issue: &Issue) -> V {
    V::from_members(Vec::from([
        ("path", V::from_text(&issue.path)),
        ("reason", V::from_text(issue.reason.name())),
        ("message", V::from_text(&issue.message)),
        ("severity", V::from_text(issue.severity.name())),
    ]))
}

impl<P: Platform> fmt::Debug for Error<P> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Error")
            .field("kind", &self.kind)
            .field("message", &self.message)
            .field("status", &self.status)
            .field("outcome", &self.outcome)
            .finish_non_exhaustive()
    }
}
