use std::error::Error as StdError;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use mediagate_client::{self as client, Kind};
use mediagate_core::Value as _;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value as Json;

use crate::platform::{Host, NotStarted};
use crate::snapshot::TaskSnapshot;
use crate::value::Value;

/// The error of a call. [`Error::kind`] is the remedy, and [`Error::report`] has the details.
///
/// If a retry may succeed, the client has already retried, up to four times by default. After a
/// create, [`Error::outcome`] says if it may have cost credits.
///
/// ```
/// # fn show(path: &str, message: &str) {}
/// # fn wait(time: Option<std::time::Duration>) {}
/// # fn handle(error: mediagate::Error) -> Result<(), mediagate::Error> {
/// use mediagate::ErrorKind;
///
/// let report = error.report();
/// match error.kind() {
///     ErrorKind::InvalidInput => {
///         for issue in &report.issues {
///             show(&issue.path, &issue.message);
///         }
///     }
///     ErrorKind::Limited => wait(report.retry_after),
///     _ => return Err(error),
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Error(Box<Report>);

/// The remedy for an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The request is not valid, or names a file, an asset, a model or a task that does not fit or
    /// exist. Correct the request, as [`Report::issues`] and the message say. Codes:
    /// `invalid_input`, `asset_category_mismatch`, `voice_asset_required`, `asset_locked`,
    /// `asset_expired`, `invalid_model`.
    InvalidInput,
    /// An argument or an option is not valid: correct the calling code. Code: `invalid_argument`.
    InvalidArgument,
    /// Your function for a token failed. The message is that of its error, which is
    /// [`Report::cause`]. Sign the user in again, or offer a retry. Code: `token_failed`.
    Token,
    /// There is no valid session token (`unauthenticated`), or it does not allow this
    /// (`forbidden`). Get another token.
    Unauthenticated,
    /// The account behind the gateway, or the gateway's own key, does not allow this. Tell the
    /// operator of the gateway. Codes: `insufficient_credits`, `paid_plan_required`,
    /// `upstream_credentials`.
    Account,
    /// Too many requests (`rate_limit`), or a budget is used up (`budget_exceeded`). Wait for
    /// [`Report::retry_after`].
    Limited,
    /// The media service, the provider of a model, or the gateway failed, or another server
    /// responded. Offer a retry later. Codes: `server_error`, `provider_error`, `provider_timeout`,
    /// `unreadable`, `unknown`.
    Service,
    /// There was no response (`network`), or the storage did not accept a file (`upload_failed`).
    /// Offer a retry.
    Network,
    /// The `timeout` of the call has passed. A task goes on, so wait for it again. Code: `timeout`.
    TimedOut,
    /// The task ended without success, or has not ended in the time that the gateway follows tasks;
    /// [`Report::task`] is its last snapshot. Codes: `task_failed`, `task_expired`,
    /// `task_unfinished`.
    Task,
    /// The client could not start, as the hint says. Or it failed, which is a defect: connect
    /// again, and restore the tasks. Code: `crashed`.
    Crashed,
}

/// The details of an error. The serialized form omits the cause, and has `retry_after` in seconds.
#[derive(Clone, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct Report {
    /// The name of the error: of the media service (§7 of the upstream document), such as
    /// `insufficient_credits`, of the gateway, such as `forbidden`, or of the client, such as
    /// `network`.
    pub code: String,
    /// One line for a person.
    pub message: String,
    /// The remedy, for developers; `None` if the message says all.
    pub hint: Option<String>,
    /// The HTTP status; `None` without a response.
    pub status: Option<u16>,
    /// True if a retry may succeed. For a create, check the outcome too.
    pub retryable: bool,
    /// The effect of a create on the account; `None` for other calls.
    pub outcome: Option<Outcome>,
    /// The key of a create that was sent. A repetition with the key and the same input makes no
    /// second task.
    pub idempotency_key: Option<String>,
    /// The issues of the request, about 100 at most; empty for other errors.
    pub issues: Vec<Issue>,
    /// The reason of the gateway, more precise than the code, such as `scope` or `unknown_task`.
    /// `content_refused`, of a create and of a failed task, says that the provider refuses the
    /// content: change the text or the files.
    pub reason: Option<String>,
    /// The id of the request at the gateway, to show for support. It is also in the log of the
    /// gateway.
    pub request_id: Option<String>,
    /// The time to wait before a retry.
    #[serde(serialize_with = "in_seconds")]
    pub retry_after: Option<Duration>,
    /// The numeric code of the media service, such as 1401; `None` for codes of the client.
    pub app_code: Option<i32>,
    /// The other members of `data` of the response, such as `limit` of a used-up budget; `null` or
    /// empty without any.
    pub details: Json,
    /// The last snapshot of the task that ended without success.
    pub task: Option<TaskSnapshot>,
    /// The error of the network, or of your function for a token; also the
    /// [`source`](StdError::source) of the error.
    #[serde(skip)]
    pub cause: Option<Arc<dyn StdError + Send + Sync>>,
}

fn in_seconds<S: Serializer>(time: &Option<Duration>, serializer: S) -> Result<S::Ok, S::Error> {
    time.map(|time| time.as_secs_f64()).serialize(serializer)
}

/// The effect of a failed create on the account. Serialized as `not_sent`, `rejected` or `unknown`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Outcome {
    /// It never reached the media service, and cost nothing. Correct or retry it.
    NotSent,
    /// The media service rejected it, and it cost nothing. Correct or retry it, as the code says.
    Rejected,
    /// The task may exist and may have cost credits. Repeat it with the same input and
    /// [`Report::idempotency_key`]: the gateway returns the task if it has a record of one, and
    /// never makes a second.
    Unknown,
}

/// One part of a request that is not valid.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Issue {
    /// The path of the part, such as `prompt` or `segments[0].end_time`; empty for the whole
    /// request.
    pub path: String,
    /// The reason, such as `missing`, `wrong_type` or `out_of_range`.
    pub reason: String,
    /// The reason in words.
    pub message: String,
    /// True for a warning, with which the request is valid.
    pub is_warning: bool,
}

impl Issue {
    /// Reads an issue of an error; `None` if it has no message.
    fn read(issue: &Value) -> Option<Self> {
        let text = |name: &str| Some(issue.get(name)?.text()?.to_string());
        Some(Issue {
            path: text("path").unwrap_or_default(),
            reason: text("reason").unwrap_or_default(),
            message: text("message")?,
            is_warning: text("severity").as_deref() == Some("warning"),
        })
    }
}

impl Error {
    /// Returns the remedy.
    pub fn kind(&self) -> ErrorKind {
        match self.code() {
            "invalid_input"
            | "asset_category_mismatch"
            | "voice_asset_required"
            | "asset_locked"
            | "asset_expired"
            | "invalid_model" => ErrorKind::InvalidInput,
            "invalid_argument" => ErrorKind::InvalidArgument,
            "token_failed" => ErrorKind::Token,
            "unauthenticated" | "forbidden" => ErrorKind::Unauthenticated,
            "insufficient_credits" | "paid_plan_required" | "upstream_credentials" => {
                ErrorKind::Account
            }
            "rate_limit" | "budget_exceeded" => ErrorKind::Limited,
            "network" | "upload_failed" => ErrorKind::Network,
            "timeout" => ErrorKind::TimedOut,
            "task_failed" | "task_expired" | "task_unfinished" => ErrorKind::Task,
            "crashed" => ErrorKind::Crashed,
            // Also the codes of a newer gateway.
            _ => ErrorKind::Service,
        }
    }

    /// Returns the details.
    pub fn report(&self) -> &Report {
        &self.0
    }

    /// Returns the name of the error ([`Report::code`]).
    pub fn code(&self) -> &str {
        &self.0.code
    }

    /// Returns true if a retry may succeed.
    pub fn is_retryable(&self) -> bool {
        self.0.retryable
    }

    /// Returns the effect of a create on the account; `None` for other calls.
    pub fn outcome(&self) -> Option<Outcome> {
        self.0.outcome
    }

    fn new(kind: Kind, message: &str) -> Self {
        Error(Box::new(Report {
            code: kind.name().into(),
            message: message.into(),
            ..Report::default()
        }))
    }

    pub(crate) fn invalid_argument(message: &str) -> Self {
        Error::new(Kind::InvalidArgument, message)
    }

    pub(crate) fn with_outcome(mut self, outcome: Outcome) -> Self {
        self.0.outcome = Some(outcome);
        self
    }
}

impl From<client::Error<Host>> for Error {
    fn from(error: client::Error<Host>) -> Self {
        let issues = error
            .issues
            .iter()
            .flat_map(|issues| issues.items().collect::<Vec<_>>());
        Error(Box::new(Report {
            code: error.kind.name().into(),
            message: error.message.clone(),
            hint: error.hint_text(),
            status: error.status,
            retryable: error.is_retryable,
            outcome: error.outcome.map(Outcome::from),
            idempotency_key: error.idempotency_key.clone(),
            issues: issues.filter_map(|issue| Issue::read(&issue)).collect(),
            reason: error
                .reason
                .as_ref()
                .and_then(|reason| Some(reason.text()?.to_string())),
            request_id: error.request_id.clone(),
            retry_after: error
                .retry_after
                .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()),
            app_code: error.app_code,
            details: error.details.as_ref().map_or(Json::Null, Json::from),
            task: error.snapshot.as_deref().map(TaskSnapshot::from),
            cause: error.cause.clone(),
        }))
    }
}

impl From<NotStarted> for Error {
    fn from(NotStarted { cause, hint }: NotStarted) -> Self {
        let mut error = Error::new(Kind::Crashed, "the client could not start");
        error.0.hint = Some(hint.into());
        error.0.cause = Some(cause);
        error
    }
}

impl From<mediagate_core::Outcome> for Outcome {
    fn from(outcome: mediagate_core::Outcome) -> Self {
        match outcome {
            mediagate_core::Outcome::NotSent => Outcome::NotSent,
            mediagate_core::Outcome::Rejected => Outcome::Rejected,
            mediagate_core::Outcome::Unknown => Outcome::Unknown,
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
        self.report().cause.as_deref().map(|cause| cause as _)
    }
}
