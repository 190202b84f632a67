//! The error of every call.

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

use mediagate_core::text::concat;
use mediagate_core::{Envelope, Issue, Outcome, Type, Value, code_of};

use super::platform::{HostValue, Platform};
use super::task::Snapshot;

/// The kind of an error. Its name is the `code` of the package and of the Rust client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An argument of the caller's is not valid, and not part of an input.
    InvalidArgument,
    /// There was no response: the gateway is unreachable, or CORS keeps its response from this page.
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
    /// The pipeline ended in the state `FAILED`.
    PipelineFailed,
    /// The pipeline ended in the state `CANCELLED`.
    PipelineCancelled,
    /// The client itself failed.
    Crashed,
    /// A refusal of the gateway or the upstream (§7), by the name of its cause, such as `rate_limit` or `forbidden`.
    Refused(&'static str),
}

impl Kind {
    /// Returns its name.
    pub fn name(self) -> &'static str {
        match self {
            Kind::InvalidArgument => "invalid_argument",
            Kind::Network => "network",
            Kind::Aborted => "aborted",
            Kind::Timeout => "timeout",
            Kind::Unreadable => "unreadable",
            Kind::UploadFailed => "upload_failed",
            Kind::TaskFailed => "task_failed",
            Kind::TaskExpired => "task_expired",
            Kind::PipelineFailed => "pipeline_failed",
            Kind::PipelineCancelled => "pipeline_cancelled",
            Kind::Crashed => "crashed",
            Kind::Refused(name) => name,
        }
    }
}

/// What to do about an error. Each platform has words for it ([`Platform::hint`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hint {
    /// The gateway did not respond.
    CheckConnection,
    /// CORS keeps the page from the gateway.
    AllowOrigin,
    /// The Content-Security-Policy keeps the page from the gateway.
    AllowConnection,
    /// The storage did not respond.
    CheckStorage,
    /// The storage refused a file.
    ReadStorageResponse,
    /// The response is not a gateway's.
    CheckUrl,
    /// It is unknown whether a create has cost credits.
    RepeatCreate,
    /// The record of a task that failed says more.
    ReadTask,
    /// The steps of a pipeline say more.
    ReadSteps,
}

/// The error of a call. Clones share their details. It has no token and no prompt.
pub struct Error<P: Platform>(Arc<Details<P>>);

/// What is known of an error.
#[non_exhaustive]
pub struct Details<P: Platform> {
    /// The kind.
    pub kind: Kind,
    /// One line for a person.
    pub message: String,
    /// What to do, for developers.
    pub hints: Vec<Hint>,
    /// The HTTP status; `None` without a response.
    pub status: Option<u16>,
    /// Whether a retry may succeed.
    pub is_retryable: bool,
    /// What a create did to the account; `None` for other calls.
    pub outcome: Option<Outcome>,
    /// The key of a create that was sent.
    pub idempotency_key: Option<String>,
    /// All that is not valid in an input: a list of `{path, reason, message, severity}`.
    pub issues: Option<P::Value>,
    /// The reason of a refusal, more precise than the kind.
    pub reason: Option<P::Value>,
    /// The gateway's id of the request.
    pub request_id: Option<String>,
    /// Seconds to wait before a retry.
    pub retry_after: Option<f64>,
    /// The number of the code of a refusal.
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

impl<P: Platform> Error<P> {
    /// Makes an error without a response, after which a retry may not succeed.
    pub fn new(kind: Kind, message: &str) -> Self {
        Error(Arc::new(Details {
            kind,
            message: message.into(),
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

    /// Makes the error of a response that is not the gateway's, whose status says whether a retry may succeed.
    pub(crate) fn of_status(kind: Kind, message: &str, status: u16) -> Self {
        Error::new(kind, message).edit(|it| {
            it.status = (status > 0).then_some(status);
            it.is_retryable = status == 429 || status >= 500;
        })
    }

    /// Makes the error of a response that is not the gateway's, with a reason such as `not_json`.
    pub(crate) fn unreadable(status: u16, reason: &str) -> Self {
        let message = "the response is not a Mediagate gateway's";
        Error::of_status(Kind::Unreadable, message, status)
            .hint(Hint::CheckUrl)
            .edit(|it| it.reason = Some(P::Value::from_text(reason)))
    }

    /// Makes the error of an input that is not valid: `invalid_input`, or the document's own code for what is missing.
    pub(crate) fn invalid_input(issues: &[Issue]) -> Self {
        let code = code_of(issues);
        Error::new(Kind::Refused(code.name()), code.message())
            .edit(|it| it.app_code = Some(code.0))
            .with_issues(issues_value(issues))
    }

    /// Makes the error of a refusal of the upstream or the gateway.
    pub(crate) fn refused(status: u16, envelope: &Envelope<P::Value>) -> Self {
        let Envelope {
            code,
            message,
            data,
        } = envelope;
        let member = |name: &str| data.as_ref().and_then(|it| it.get(name));
        let is = |name: &str, value: &str| member(name).is_some_and(|it| it.is(value));
        let cause = ["upstream_credentials", "budget"]
            .into_iter()
            .find(|it| is("reason", it))
            .unwrap_or_default();
        let may_pass =
            code.is_retryable() || status == 429 || (!code.is_documented() && status >= 500);
        let message = message
            .as_ref()
            .and_then(Value::text)
            .filter(|it| !it.is_empty());
        let documented = if code.is_documented() {
            code.message()
        } else {
            "the gateway refused with an undocumented code"
        };
        let error = Error::new(
            Kind::Refused(code.cause(status, cause)),
            message.as_deref().unwrap_or(documented),
        )
        .edit(|it| {
            it.status = Some(status);
            it.is_retryable = may_pass && cause != "budget";
            it.app_code = Some(code.0);
            it.reason = member("reason");
            it.request_id = member("request_id").and_then(|it| Some(String::from(&*it.text()?)));
            it.details = Some(details(data.as_ref()));
        });
        match member("errors") {
            Some(issues) => error.with_issues(issues),
            None => error,
        }
    }

    /// Changes the details.
    pub(crate) fn edit(mut self, change: impl FnOnce(&mut Details<P>)) -> Self {
        change(Arc::make_mut(&mut self.0));
        self
    }

    /// Adds a hint.
    #[must_use]
    pub fn hint(self, hint: Hint) -> Self {
        self.edit(|it| it.hints.push(hint))
    }

    /// Marks it as one after which a retry may succeed.
    #[must_use]
    pub(crate) fn retryable(self) -> Self {
        self.edit(|it| it.is_retryable = true)
    }

    /// Adds the error of the host.
    #[must_use]
    pub fn caused_by(self, cause: P::Cause) -> Self {
        self.edit(|it| it.cause = Some(cause))
    }

    /// Adds issues, of which the message lists the first three.
    fn with_issues(self, issues: P::Value) -> Self {
        let mut message = String::new();
        for issue in issues.items().take(3) {
            let text = |name| issue.get(name).and_then(|it| it.text());
            if let (Some(path), Some(problem)) = (text("path"), text("message")) {
                message.push_str(if message.is_empty() {
                    "invalid input: "
                } else {
                    "; "
                });
                message.push_str(&path);
                message.push_str(if path.is_empty() { "" } else { " " });
                message.push_str(&problem);
            }
        }
        self.edit(|it| {
            if !message.is_empty() {
                it.message = message;
            }
            it.issues = (issues.kind() == Type::List).then_some(issues);
        })
    }

    /// Returns what to do in the words of the platform; `None` where the message says all.
    pub fn hint_text(&self) -> Option<String> {
        let mut text = String::new();
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

/// The members of `data` that an error has no member for.
fn details<V: HostValue>(data: Option<&V>) -> V {
    let shown = ["errors", "reason", "request_id", "outcome"];
    match data.filter(|data| data.kind() == Type::Object) {
        Some(data) => shown
            .into_iter()
            .fold(data.clone(), |it, name| it.without(name)),
        None => V::from_members(Vec::new()),
    }
}

/// Makes a list of issues, `[{path, reason, message, severity}]`.
pub fn issues_value<V: HostValue>(issues: &[Issue]) -> V {
    let issue = |issue: &Issue| {
        V::from_members(Vec::from([
            ("path", V::from_text(&issue.path)),
            ("reason", V::from_text(issue.reason.name())),
            ("message", V::from_text(&issue.message)),
            ("severity", V::from_text(issue.severity.name())),
        ]))
    };
    V::from_items(issues.iter().map(issue).collect())
}

/// Why a request failed, and what its response says of a create.
pub(crate) struct Failure<P: Platform> {
    pub(crate) error: Error<P>,
    /// What the response says of a create; `None` where there was none of the gateway's.
    pub(crate) reported: Option<Reported>,
}

/// What a response says of a create.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reported {
    pub(crate) outcome: Outcome,
    /// Whether the response names the outcome, so that it covers all attempts. Otherwise it follows from the code, and is
    /// that of one attempt.
    pub(crate) is_named: bool,
    /// Whether the outcome is unknown to the gateway only because it did not reach its ledger, which has it.
    pub(crate) is_in_ledger: bool,
}

impl Reported {
    /// Reads what a refusal says.
    pub(crate) fn read<V: Value>(envelope: &Envelope<V>) -> Self {
        let member = |name: &str| envelope.data.as_ref().and_then(|it| it.get(name));
        let outcome = member("outcome");
        let named = [Outcome::NotSent, Outcome::Rejected, Outcome::Unknown]
            .into_iter()
            .find(|it| outcome.as_ref().is_some_and(|named| named.is(it.name())));
        Reported {
            // An outcome of a newer gateway may have cost credits.
            outcome: named.unwrap_or(match outcome {
                Some(_) => Outcome::Unknown,
                None => envelope.code.outcome(),
            }),
            is_named: named.is_some(),
            is_in_ledger: member("cause").is_some_and(|it| it.is("ledger")),
        }
    }
}

impl<P: Platform> Failure<P> {
    /// Milliseconds after which the gateway wants the next attempt; 0 where it does not say.
    pub(crate) fn retry_after_ms(&self) -> u32 {
        (self.error.retry_after.unwrap_or_default() * 1000.0) as u32
    }
}

impl<P: Platform> From<Error<P>> for Failure<P> {
    fn from(error: Error<P>) -> Self {
        Failure {
            error,
            reported: None,
        }
    }
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
