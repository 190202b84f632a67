//! Errors, as the callers of the simulated platform see them.

use mediagate_client::error::{Error, code};
use mediagate_core::Code;

use super::value::{Handle, SimValue, hold};

/// An error that a promise was rejected with.
#[derive(Clone, Debug)]
pub struct SimError {
    /// Its code.
    pub code: &'static str,
    /// Its message.
    pub message: String,
    /// The HTTP status; 0 where there was no response.
    pub status: u16,
    /// Whether a retry may succeed.
    pub retryable: bool,
    /// All of its members, these included.
    pub members: SimValue,
}

impl SimError {
    /// The error that an object stands for.
    ///
    /// # Panics
    /// Where a member is missing that each error has, or is not of its type; and for a code that the package does not
    /// declare.
    pub fn new(members: SimValue) -> Self {
        let text = |name| {
            members
                .get(name)
                .and_then(|it| it.as_text().map(str::to_owned))
        };
        let code = text("code").unwrap_or_else(|| panic!("an error without a code: {members:?}"));
        let codes = Code::ALL
            .iter()
            .map(|it| it.1)
            .chain(["unknown"])
            .chain(Code::CAUSES)
            .chain(code::ALL);
        let known = codes.into_iter().find(|it| *it == code);
        let status = members
            .get("status")
            .map(|it| it.number().expect("a status that is a number") as u16);
        assert_ne!(status, Some(0), "no response is no status: {members:?}");
        let Some(SimValue::Boolean(retryable)) = members.get("retryable") else {
            panic!("{members:?}")
        };
        SimError {
            code: known.unwrap_or_else(|| panic!("an error with an undeclared code: {members:?}")),
            message: text("message")
                .unwrap_or_else(|| panic!("an error without a message: {members:?}")),
            status: status.unwrap_or_default(),
            retryable,
            members,
        }
    }

    /// The error that the engine returned.
    ///
    /// # Panics
    /// Where the engine reads of it what the caller does not.
    pub fn of(error: Error<Handle>) -> Self {
        let seen = SimError::new(error.value.value());
        assert_eq!(
            (seen.status, seen.retryable),
            (error.status, error.retryable),
            "{seen:?}"
        );
        seen
    }
}

/// The error of a promise whose signal was aborted, for this reason.
pub fn aborted(reason: Option<SimValue>) -> Error<Handle> {
    let message = SimValue::text("aborted by the caller's signal");
    limit(
        "aborted",
        message,
        false,
        reason.unwrap_or(SimValue::Undefined),
    )
}

/// The error of a promise whose timeout has passed.
pub fn timed_out() -> Error<Handle> {
    let message = SimValue::text("not done within the caller's timeout; give it more time");
    limit("timeout", message, true, SimValue::Undefined)
}

fn limit(code: &str, message: SimValue, retryable: bool, cause: SimValue) -> Error<Handle> {
    let members = [
        ("code", SimValue::text(code)),
        ("message", message),
        ("retryable", SimValue::Boolean(retryable)),
        ("cause", cause),
    ];
    Error {
        value: hold(SimValue::object(&members)),
        status: 0,
        retryable,
    }
}

/// A member of an error, as JavaScript sees it.
pub fn member(error: &SimError, name: &str) -> SimValue {
    error.members.get(name).unwrap_or(SimValue::Undefined)
}

/// A member of an error that is a string; empty where it has none.
pub fn string(error: &SimError, name: &str) -> String {
    error.members.string(name)
}
