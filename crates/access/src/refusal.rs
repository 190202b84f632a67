//! The gateway's error responses. A response for an error of the upstream has that error's code,
//! message and data.

use mediagate_core::{Code, Issue, OUTCOME_UNKNOWN, Outcome, Reason, Severity, code_of};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::byte_size::byte_size;

/// An error response: HTTP status, application code and the envelope's `data`. A Durable Object
/// sends and stores it as JSON, without `headers`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Refusal {
    /// The HTTP status.
    pub status: u16,
    /// The application code (§7).
    pub code: Code,
    /// A sentence for a person: the documented message of the code, then what is wrong and what
    /// would be right. Contains nothing secret.
    pub message: String,
    /// The envelope's `data`. It always has `reason`, a stable snake_case word.
    pub data: Map<String, Value>,
    /// Seconds for the `Retry-After` header.
    pub retry_after: Option<u32>,
    /// Further headers of the response.
    #[serde(skip)]
    pub headers: Vec<(&'static str, String)>,
}

impl From<Reason> for Refusal {
    /// Makes a refusal with the reason's own message and remedy.
    fn from(reason: Reason) -> Self {
        let message = [reason.message(), "; ", reason.remedy()].concat();
        Refusal::new(reason, message)
    }
}

impl Refusal {
    /// The documented message of the reason's code, followed by `message`.
    pub fn new(reason: Reason, message: impl AsRef<str>) -> Self {
        let text = match (reason.status(), reason.code()) {
            // The text of code 13 is "unauthenticated", but a caller who gets a 403 is
            // authenticated.
            (403, Code::UNAUTHENTICATED) => "forbidden",
            (_, code) => code.message(),
        };
        let message = [text, ": ", message.as_ref()].concat();
        Refusal::named(reason.status(), reason.code(), reason.name(), message)
    }

    /// Makes the refusal for an error of the upstream, whose reason is the name of its code.
    pub fn of_upstream(code: Code, message: String) -> Self {
        Refusal::named(http_status(code), code, code.name(), message)
    }

    fn named(status: u16, code: Code, reason: &str, message: String) -> Self {
        Refusal {
            status,
            code,
            message,
            data: Map::from_iter([("reason".to_owned(), json!(reason))]),
            retry_after: None,
            headers: Vec::new(),
        }
    }

    /// Returns true if this is the reason of the refusal.
    pub fn is(&self, reason: Reason) -> bool {
        self.data.get("reason").and_then(Value::as_str) == Some(reason.name())
    }

    /// Refuses a request with every issue in `data.errors`.
    pub fn issues(issues: &[Issue]) -> Self {
        let reason = match code_of(issues) {
            Code::VOICE_ASSET_REQUIRED => Reason::VoiceAssetRequired,
            _ => Reason::InvalidFields,
        };
        Refusal::with_issues(reason, issues)
    }

    /// Refuses assets whose category does not fit their fields.
    pub fn misfit(issues: &[Issue]) -> Self {
        Refusal::with_issues(Reason::AssetCategoryMismatch, issues)
    }

    /// Refuses values that the limits of the caller forbid.
    pub fn limited(issues: &[Issue]) -> Self {
        Refusal::with_issues(Reason::Limit, issues)
    }

    fn with_issues(reason: Reason, issues: &[Issue]) -> Self {
        let errors = issues.iter().map(|issue| {
            json!({
                "path": issue.path,
                "reason": issue.reason.name(),
                "message": issue.message,
                "severity": issue.severity.name(),
            })
        });
        let first = issues
            .iter()
            .find(|issue| issue.severity == Severity::Error);
        let message = first.map_or(String::new(), |issue| match issue.path.as_str() {
            "" => format!("the body {}", issue.message),
            path => format!("{path} {}", issue.message),
        });
        Refusal::new(reason, message).with("errors", Value::Array(errors.collect()))
    }

    /// `allow` lists the methods that the path takes.
    pub fn method(allow: &str) -> Self {
        let message = format!("this path takes {allow} only");
        let mut refusal = Refusal::new(Reason::UnknownMethod, message);
        refusal.headers.push(("allow", allow.to_owned()));
        refusal
    }

    /// `limit` is in bytes.
    pub fn too_large(limit: usize) -> Self {
        let limit = byte_size(limit as u64);
        let message = format!("the body is larger than the {limit} that this gateway takes");
        Refusal::new(Reason::BodyTooLarge, message)
    }

    /// `retry_after` is in seconds.
    pub fn too_many(retry_after: u32) -> Self {
        Refusal::from(Reason::RateLimit).retry_after(retry_after)
    }

    /// Refuses a request of a caller who has too many in flight.
    pub fn too_many_at_once() -> Self {
        let message = "too many requests at once; wait for responses before you send more";
        Refusal::new(Reason::RateLimit, message).retry_after(1)
    }

    /// Refuses a request while too many Durable Objects are open. `retry_after` is in seconds.
    pub fn busy(retry_after: u32) -> Self {
        Refusal::from(Reason::Busy).retry_after(retry_after)
    }

    /// Refuses a request while the circuit breaker is open. `retry_after` is in seconds.
    pub fn unavailable(retry_after: u32) -> Self {
        Refusal::from(Reason::UpstreamUnavailable).retry_after(retry_after)
    }

    fn retry_after(self, seconds: u32) -> Self {
        Refusal {
            retry_after: Some(seconds),
            ..self
        }
    }

    /// Refuses a request while a setting or a binding is missing or wrong.
    pub fn misconfigured(setting: &str, message: String) -> Self {
        Refusal::new(Reason::Misconfigured, message).with("setting", setting)
    }

    /// Adds the place of the problem to the message, after the text of the code.
    pub fn at(self, place: &str) -> Self {
        let code = self.code.message();
        let problem = self
            .message
            .strip_prefix(code)
            .and_then(|rest| rest.strip_prefix(": "))
            .unwrap_or(&self.message);
        let message = format!("{code}: {place}: {problem}");
        Refusal { message, ..self }
    }

    /// Adds a member of `data`.
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.data.insert(name.to_owned(), value.into());
        self
    }

    /// Returns the code of a JSON-RPC error.
    pub fn rpc_code(&self) -> i32 {
        if self.is(Reason::MalformedJson) || self.is(Reason::BrokenBody) {
            return rpc::PARSE_ERROR;
        }
        match self.code {
            Code::INVALID_INPUT => rpc::INVALID_REQUEST,
            code => code.0,
        }
    }

    /// Adds `data.outcome`. If that is unknown, `reason` becomes `outcome_unknown`, and
    /// `data.cause` has the actual reason.
    pub fn of_create(mut self, outcome: Outcome) -> Self {
        if outcome == Outcome::Unknown {
            let cause = self
                .data
                .insert("reason".to_owned(), json!(OUTCOME_UNKNOWN));
            self = self.with("cause", cause.unwrap_or_default());
        }
        self.with("outcome", outcome.name())
    }
}

/// The codes of JSON-RPC 2.0.
#[allow(missing_docs, reason = "the standard's names")]
pub mod rpc {
    pub const PARSE_ERROR: i32 = -32700;
    pub const INVALID_REQUEST: i32 = -32600;
    pub const METHOD_NOT_FOUND: i32 = -32601;
    pub const INVALID_PARAMS: i32 = -32602;
    /// The gateway or the upstream failed.
    pub const INTERNAL_ERROR: i32 = -32603;
}

/// The document states no status for a code (§7).
pub fn http_status(code: Code) -> u16 {
    match code {
        Code::INVALID_INPUT => 400,
        Code::INSUFFICIENT_CREDITS | Code::PAID_PLAN_REQUIRED => 402,
        Code::ASSET_CATEGORY_MISMATCH | Code::ASSET_LOCKED => 409,
        Code::ASSET_EXPIRED => 410,
        Code::VOICE_ASSET_REQUIRED | Code::INVALID_MODEL => 422,
        Code::RATE_LIMIT => 429,
        Code::PROVIDER_TIMEOUT => 504,
        _ => 502,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_begins_with_the_text_of_its_code() {
        for reason in Reason::ALL {
            let refusal = Refusal::from(*reason);
            let (begin, rest) = refusal.message.split_once(": ").expect("a text");
            let expected = match (refusal.status, refusal.code) {
                (403, Code::UNAUTHENTICATED) => "forbidden",
                (_, code) => code.message(),
            };
            assert_eq!(begin, expected);
            assert_ne!(rest, "");
        }
        let issues = mediagate_core::validate(
            mediagate_core::find("text_driven").expect("a capability"),
            &json!({"avatar_asset_id": "a", "text": "t"}),
        );
        let refusal = Refusal::issues(&issues);
        assert_eq!(refusal.code, Code::VOICE_ASSET_REQUIRED);
        let begin = "voice asset required: voice_asset_id ";
        assert!(refusal.message.starts_with(begin), "{refusal:?}");
    }

    #[test]
    fn each_code_has_its_status() {
        for (code, status) in [
            (0, 502),
            (12, 400),
            (13, 502),
            (16, 429),
            (99, 502),
            (1401, 402),
            (1402, 409),
            (1403, 422),
            (1404, 502),
            (1405, 504),
            (1407, 409),
            (1408, 410),
            (1409, 402),
            (1410, 422),
            (-1, 502),
        ] {
            assert_eq!(http_status(Code(code)), status, "{code}");
        }
    }
}
