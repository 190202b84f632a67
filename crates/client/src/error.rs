//! The client's only error type.

use mediagate_core::{Outcome, Value};

use crate::platform::Platform;

/// The client's own codes. Those of the upstream (§7) are in the core.
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
    /// The pipeline ended in the state FAILED.
    pub const PIPELINE_FAILED: &str = "pipeline_failed";
    /// The pipeline ended in the state CANCELLED.
    pub const PIPELINE_CANCELLED: &str = "pipeline_cancelled";
    /// The client itself failed, and what it knew is lost.
    pub const CRASHED: &str = "crashed";

    /// All of them, which the package declares too (`pkg/error.d.ts`).
    pub const ALL: [&str; 11] = [
        INVALID_ARGUMENT,
        NETWORK,
        ABORTED,
        TIMEOUT,
        UNREADABLE,
        UPLOAD_FAILED,
        TASK_FAILED,
        TASK_EXPIRED,
        PIPELINE_FAILED,
        PIPELINE_CANCELLED,
        CRASHED,
    ];
}

/// An error that becomes a `MediagateError` in JavaScript. It keeps its cause, never a token or a prompt.
#[derive(Clone, Copy, Debug)]
pub struct Error<V> {
    /// What the caller sees, an object: `code`, `message`, `status`, `retryable`, and members such as `reason`, `issues`
    /// and `cause`.
    pub value: V,
    /// The HTTP status; 0 where there was no response.
    pub status: u16,
    /// Whether a retry may succeed.
    pub retryable: bool,
}

/// Why an attempt of a call failed, and what its response says beside that.
#[derive(Clone, Copy, Debug)]
pub struct Failure<V> {
    /// The error.
    pub error: Error<V>,
    /// What the gateway says of a create; `None` where there was no response of its own.
    pub reported: Option<Reported>,
    /// Milliseconds after which the gateway wants the next attempt; 0 where it does not say.
    pub retry_after_ms: u32,
}

/// What a gateway's response says of a create.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reported {
    /// Whether the create was charged.
    pub outcome: Outcome,
    /// Whether the response names the outcome, so that it covers all attempts. Otherwise it follows from the code, and is
    /// that of one attempt.
    pub is_named: bool,
    /// Whether the outcome is unknown to the gateway only because it did not reach its ledger, which has it.
    pub is_in_ledger: bool,
}

impl<V: Value + Copy> Error<V> {
    /// An error without a response, after which a retry may not succeed: its code, and one line that says what is wrong. What
    /// to do is the hint ([`Error::with_hint`]), unless the error is one of the calling code alone.
    pub fn new<P: Platform<Value = V>>(platform: &P, code: &str, message: &str) -> Self {
        Error::with_status(platform, code, message, 0, false)
    }

    /// An error with the status of its response.
    pub fn with_status<P: Platform<Value = V>>(
        platform: &P,
        code: &str,
        message: &str,
        status: u16,
        retryable: bool,
    ) -> Self {
        Error {
            value: platform.error(code, message, status, retryable),
            status,
            retryable,
        }
    }

    /// An error of a response without an envelope. Its status says whether a retry may succeed.
    pub fn from_status<P: Platform<Value = V>>(
        platform: &P,
        code: &str,
        message: &str,
        status: u16,
    ) -> Self {
        Error::with_status(
            platform,
            code,
            message,
            status,
            status == 429 || status >= 500,
        )
    }

    /// The client has no record of what the call is about, since it crashed and was started anew.
    pub fn crashed<P: Platform<Value = V>>(platform: &P) -> Self {
        Error::new(
            platform,
            code::CRASHED,
            "the client failed and was started anew",
        )
        .with_hint(platform, "call connect again")
    }

    /// The same error with one more member; one that it has already is replaced.
    pub fn with<P: Platform<Value = V>>(self, platform: &P, name: &str, value: Option<V>) -> Self {
        Error {
            value: platform.with_member(Some(self.value), name, value),
            ..self
        }
    }

    /// The same error with a hint for developers: what to do. It is appended to one that the error has.
    pub fn with_hint<P: Platform<Value = V>>(self, platform: &P, hint: &str) -> Self {
        let hint = match self.value.get("hint") {
            Some(before) => platform.append(platform.append(before, "; "), hint),
            None => platform.text(hint),
        };
        self.with(platform, "hint", Some(hint))
    }
}

impl<V> From<Error<V>> for Failure<V> {
    fn from(error: Error<V>) -> Self {
        Failure {
            error,
            reported: None,
            retry_after_ms: 0,
        }
    }
}
