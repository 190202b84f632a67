//! The error of every call.

use std::error::Error as StdError;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use mediagate_client::error::code;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value as Json;

use crate::snapshot::TaskSnapshot;

/// Why a call failed, by what a caller does about it. Each variant has a [`Report`] of the details.
///
/// Where a retry may succeed, the client has already retried, up to four times by default. A create that failed says by
/// [`Report::outcome`] whether it may have cost credits.
///
/// ```
/// # fn show(path: &str, message: &str) {}
/// # fn wait(time: Option<std::time::Duration>) {}
/// # fn handle(error: mediagate::Error) -> Result<(), mediagate::Error> {
/// use mediagate::Error;
///
/// match error {
///     Error::InvalidInput(report) => report.issues.iter().for_each(|it| show(&it.path, &it.message)),
///     Error::Limited(report) => wait(report.retry_after),
///     other => return Err(other),
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Error {
    /// The request is not valid, or names a file, an asset, a model or a task that does not fit or exist. Correct what
    /// [`Report::issues`] and the message name. Codes: `invalid_input`, `asset_category_mismatch`,
    /// `voice_asset_required`, `asset_locked`, `asset_expired`, `invalid_model`.
    InvalidInput(Box<Report>),
    /// An argument or an option is not valid: correct the calling code. Also where your function for a token failed, whose
    /// error is [`Report::cause`]: that may pass. Code: `invalid_argument`.
    InvalidArgument(Box<Report>),
    /// There is no valid session token (`unauthenticated`), or it does not allow this (`forbidden`). Get another token.
    Unauthenticated(Box<Report>),
    /// The account behind the gateway, or the gateway's own key, does not allow this: for its operator. Codes:
    /// `insufficient_credits`, `paid_plan_required`, `upstream_credentials`.
    Account(Box<Report>),
    /// Too many requests (`rate_limit`), or a budget is used up (`budget_exceeded`). Wait for [`Report::retry_after`].
    Limited(Box<Report>),
    /// The media service, the provider of a model, or the gateway failed, or the response is not the gateway's. Offer a
    /// retry later. Codes: `server_error`, `provider_error`, `provider_timeout`, `unreadable`, `unknown`.
    Service(Box<Report>),
    /// There was no response (`network`), or the storage did not accept a file (`upload_failed`). Offer a retry.
    Network(Box<Report>),
    /// The `timeout` of the call has passed. A task goes on, so wait for it again. Code: `timeout`.
    TimedOut(Box<Report>),
    /// The task ended without success; [`Report::task`] is its last snapshot. Codes: `task_failed`, `task_expired`.
    Task(Box<Report>),
    /// The client could not start, and the hint says what the machine lacks; or it failed, which is a defect of it: connect
    /// again, and restore the tasks. Code: `crashed`.
    Crashed(Box<Report>),
}

/// The details of an error. Serialized, it has everything but the cause, and `retry_after` in seconds.
#[derive(Clone, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct Report {
    /// What went wrong: a name of the media service's (§7 of the upstream document), such as `insufficient_credits`, of the
    /// gateway's, such as `forbidden`, or of the client's, such as `network`.
    pub code: String,
    /// One line for a person.
    pub message: String,
    /// What to do, for developers; `None` where the message says all.
    pub hint: Option<String>,
    /// The HTTP status; `None` without a response.
    pub status: Option<u16>,
    /// Whether a retry may succeed. For a create, check the outcome too.
    pub retryable: bool,
    /// What a create did to the account; `None` for other calls.
    pub outcome: Option<Outcome>,
    /// The key of a create that was sent. Repeated with it and the same input, the create makes no second task.
    pub idempotency_key: Option<String>,
    /// Everything that is not valid in the request, about 100 issues at most; empty for other errors.
    pub issues: Vec<Issue>,
    /// The gateway's reason, more precise than the code, such as `scope` or `unknown_task`.
    pub reason: Option<String>,
    /// The gateway's id of the request, also in its log, to show for support.
    pub request_id: Option<String>,
    /// The time to wait before a retry.
    #[serde(serialize_with = "in_seconds")]
    pub retry_after: Option<Duration>,
    /// The number of the media service's code, such as 1401; `None` for codes of the client.
    pub app_code: Option<i32>,
    /// The other members of the response's `data`, such as `limit` of a used-up budget; `null` or empty without any.
    pub details: Json,
    /// The last snapshot of the task that ended without success.
    #[serde(serialize_with = "shared")]
    pub task: Option<Arc<TaskSnapshot>>,
    /// The error of the network, or of your function for a token; also the [`source`](StdError::source) of the error.
    #[serde(skip)]
    pub cause: Option<Arc<dyn StdError + Send + Sync>>,
}

fn in_seconds<S: Serializer>(time: &Option<Duration>, serializer: S) -> Result<S::Ok, S::Error> {
    time.map(|it| it.as_secs_f64()).serialize(serializer)
}

fn shared<S: Serializer>(
    task: &Option<Arc<TaskSnapshot>>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    task.as_deref().serialize(serializer)
}

/// What a create that failed did to the account. Serialized as `not_sent`, `rejected` or `unknown`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Outcome {
    /// It never reached the media service, and cost nothing. Correct or retry it.
    NotSent,
    /// The media service rejected it, and it cost nothing. Correct or retry it, as the code says.
    Rejected,
    /// The task may exist and may have cost credits. Repeat it with the same input and [`Report::idempotency_key`]: the
    /// gateway returns the task if it has a record of one, and never makes a second.
    Unknown,
}

/// One thing that is not valid in a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Issue {
    /// Where it is, such as `prompt` or `segments[0].end_time`; empty for the request as a whole.
    pub path: String,
    /// Why, such as `missing`, `wrong_type` or `out_of_range`.
    pub reason: String,
    /// The same in words.
    pub message: String,
    /// Whether it is only a warning.
    pub is_warning: bool,
}

impl Issue {
    /// An issue of an error response, or of the validation.
    pub(crate) fn new(path: String, reason: String, message: String, is_warning: bool) -> Self {
        Issue {
            path,
            reason,
            message,
            is_warning,
        }
    }
}

impl Error {
    /// The details.
    pub fn report(&self) -> &Report {
        match self {
            Error::InvalidInput(it)
            | Error::InvalidArgument(it)
            | Error::Unauthenticated(it)
            | Error::Account(it)
            | Error::Limited(it)
            | Error::Service(it)
            | Error::Network(it)
            | Error::TimedOut(it)
            | Error::Task(it)
            | Error::Crashed(it) => it,
        }
    }

    /// The name of what went wrong.
    pub fn code(&self) -> &str {
        &self.report().code
    }

    /// Whether a retry may succeed.
    pub fn is_retryable(&self) -> bool {
        self.report().retryable
    }

    /// What a create did to the account; `None` for other calls.
    pub fn outcome(&self) -> Option<Outcome> {
        self.report().outcome
    }

    /// The variant for the code of a report.
    pub(crate) fn new(report: Report) -> Self {
        let variant = match report.code.as_str() {
            "invalid_input"
            | "asset_category_mismatch"
            | "voice_asset_required"
            | "asset_locked"
            | "asset_expired"
            | "invalid_model" => Error::InvalidInput,
            "unauthenticated" | "forbidden" => Error::Unauthenticated,
            "insufficient_credits" | "paid_plan_required" | "upstream_credentials" => {
                Error::Account
            }
            "rate_limit" | "budget_exceeded" => Error::Limited,
            code::INVALID_ARGUMENT => Error::InvalidArgument,
            code::NETWORK | code::UPLOAD_FAILED => Error::Network,
            // A caller's abort reaches no caller: it drops the future.
            code::TIMEOUT | code::ABORTED => Error::TimedOut,
            code::TASK_FAILED | code::TASK_EXPIRED => Error::Task,
            code::CRASHED => Error::Crashed,
            _ => Error::Service,
        };
        variant(Box::new(report))
    }

    /// An argument that is not valid.
    pub(crate) fn invalid_argument(message: &str) -> Self {
        Error::new(Report {
            code: code::INVALID_ARGUMENT.into(),
            message: message.into(),
            ..Report::default()
        })
    }

    /// The client failed.
    pub(crate) fn crashed() -> Self {
        Error::new(Report {
            code: code::CRASHED.into(),
            message: "the client failed, and the calls under way are lost".into(),
            hint: Some("this is a defect of the crate; connect again".into()),
            ..Report::default()
        })
    }

    /// The client could not start.
    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn not_started(cause: Arc<dyn StdError + Send + Sync>, hint: &str) -> Self {
        Error::new(Report {
            code: code::CRASHED.into(),
            message: "the client could not start".into(),
            hint: Some(hint.into()),
            cause: Some(cause),
            ..Report::default()
        })
    }

    /// The same error with what is known of a create.
    pub(crate) fn with_outcome(mut self, outcome: Outcome, key: Option<String>) -> Self {
        let report = self.report_mut();
        report.outcome = Some(outcome);
        report.idempotency_key = key;
        self
    }

    fn report_mut(&mut self) -> &mut Report {
        match self {
            Error::InvalidInput(it)
            | Error::InvalidArgument(it)
            | Error::Unauthenticated(it)
            | Error::Account(it)
            | Error::Limited(it)
            | Error::Service(it)
            | Error::Network(it)
            | Error::TimedOut(it)
            | Error::Task(it)
            | Error::Crashed(it) => it,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Report { code, message, .. } = self.report();
        write!(formatter, "{message} ({code})")
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.report().cause.as_deref().map(|it| it as _)
    }
}
