//! The gateway's error responses. One for an error of the upstream has its code, message and data.

use mediagate_core::{Code, Issue, Outcome, Severity, code_of};
use serde_json::{Map, Value, json};

/// An error response: HTTP status, application code and the envelope's `data`.
#[derive(Debug, PartialEq)]
pub struct Refusal {
    /// The HTTP status.
    pub status: u16,
    /// The application code (§7).
    pub code: Code,
    /// A sentence for a person: what is wrong and what would be right. It contains nothing secret.
    pub message: String,
    /// The envelope's `data`. It always has `reason`, a stable snake_case word.
    pub data: Map<String, Value>,
    /// Seconds for the `Retry-After` header.
    pub retry_after: Option<u32>,
    /// Further headers of the response.
    pub headers: Vec<(&'static str, String)>,
}

impl Refusal {
    /// A refusal with a status, a code, a stable reason and a message.
    pub fn new(status: u16, code: Code, reason: &str, message: impl Into<String>) -> Self {
        let data = Map::from_iter([("reason".to_owned(), json!(reason))]);
        Refusal {
            status,
            code,
            message: message.into(),
            data,
            retry_after: None,
            headers: Vec::new(),
        }
    }

    /// 400, code 12: the request is not valid.
    pub fn invalid(reason: &str, message: impl Into<String>) -> Self {
        Refusal::new(400, Code::INVALID_INPUT, reason, message)
    }

    /// 400, code 12, with every issue in `data.errors`; 422, code 1403, where a voice is all that is missing.
    pub fn issues(issues: &[Issue]) -> Self {
        match code_of(issues) {
            Code::INVALID_INPUT => {
                Refusal::with_issues(400, Code::INVALID_INPUT, "invalid_fields", issues)
            }
            code => Refusal::with_issues(422, code, code.name(), issues),
        }
    }

    /// 409, code 1402: assets are of another category than their fields need.
    pub fn misfit(issues: &[Issue]) -> Self {
        let code = Code::ASSET_CATEGORY_MISMATCH;
        Refusal::with_issues(409, code, code.name(), issues)
    }

    fn with_issues(status: u16, code: Code, reason: &str, issues: &[Issue]) -> Self {
        let listed = issues.iter().map(
            |it| json!({"path": it.path, "reason": it.reason, "message": it.message, "severity": it.severity.name()}),
        );
        let first = issues.iter().find(|it| it.severity == Severity::Error);
        let message = first.map_or(String::new(), |it| match it.path.as_str() {
            "" => format!("invalid input: the body {}", it.message),
            path => format!("invalid input: {path} {}", it.message),
        });
        Refusal::new(status, code, reason, message).with("errors", Value::Array(listed.collect()))
    }

    /// 401, code 13: there is no valid token.
    pub fn unauthenticated(reason: &str, message: &str) -> Self {
        Refusal::new(401, Code::UNAUTHENTICATED, reason, message)
    }

    /// 403, code 13: the token, or the origin, does not allow this.
    pub fn forbidden(reason: &str, message: impl Into<String>) -> Self {
        Refusal::new(403, Code::UNAUTHENTICATED, reason, message)
    }

    /// 404, code 12: no route has this path.
    pub fn no_such_path() -> Self {
        Refusal::new(
            404,
            Code::INVALID_INPUT,
            "unknown_path",
            "there is nothing at this path",
        )
    }

    /// 405, code 12, with `Allow`.
    pub fn method(allow: &str) -> Self {
        let message = format!("this path takes {allow} only");
        let headers = vec![("allow", allow.to_owned())];
        Refusal {
            headers,
            ..Refusal::new(405, Code::INVALID_INPUT, "unknown_method", message)
        }
    }

    /// 404, code 12: the same response for a task that is unknown, another caller's, or named by a damaged id.
    pub fn no_such_task() -> Self {
        Refusal::new(
            404,
            Code::INVALID_INPUT,
            "unknown_task",
            "there is no such task; check the id",
        )
    }

    /// 404, code 12: the same response for a pipeline that is unknown, another caller's, or named by a damaged id.
    pub fn no_such_pipeline() -> Self {
        let message = "there is no such pipeline; check the id";
        Refusal::new(404, Code::INVALID_INPUT, "unknown_pipeline", message)
    }

    /// 413, code 12: the body is longer than `limit` bytes.
    pub fn too_large(limit: usize) -> Self {
        let message = format!("the body is larger than the {limit} bytes that this gateway takes");
        Refusal::new(413, Code::INVALID_INPUT, "body_too_large", message)
    }

    /// 502, code 99: the upstream's response could not be read; `reason` says why.
    pub fn unreadable(reason: &str) -> Self {
        Refusal::new(
            502,
            Code::SERVER_ERROR,
            reason,
            "the media service gave no readable response; try again later",
        )
    }

    /// 429, code 16, with the seconds to wait.
    pub fn too_many(retry_after: u32) -> Self {
        let message = "too many requests; wait for the time that Retry-After gives";
        Refusal {
            retry_after: Some(retry_after),
            ..Refusal::new(429, Code::RATE_LIMIT, "rate_limit", message)
        }
    }

    /// 429, code 16: too many requests at once.
    pub(crate) fn too_many_at_once() -> Self {
        let message = "too many requests at once; wait for responses before you send more";
        Refusal {
            retry_after: Some(1),
            ..Refusal::new(429, Code::RATE_LIMIT, "rate_limit", message)
        }
    }

    /// 503, code 99, with the seconds to wait: the circuit breaker is open.
    pub fn unavailable(retry_after: u32) -> Self {
        let message = "the media service is not responding; try again later";
        Refusal {
            retry_after: Some(retry_after),
            ..Refusal::new(503, Code::SERVER_ERROR, "upstream_unavailable", message)
        }
    }

    /// 504, code 1405: the upstream did not respond within the deadline.
    pub fn deadline() -> Self {
        Refusal::new(
            504,
            Code::PROVIDER_TIMEOUT,
            "deadline",
            "the media service did not respond in time",
        )
    }

    /// 500, code 99: a setting is missing or wrong; nothing else is served until it is right.
    pub fn misconfigured(setting: &str, message: String) -> Self {
        Refusal::new(500, Code::SERVER_ERROR, "misconfigured", message).with("setting", setting)
    }

    /// 404, code 12: anonymous sessions are off, so a caller needs a token.
    pub fn no_anonymous_sessions() -> Self {
        let message = "this gateway issues no anonymous sessions, so a session token is needed: have the app's backend issue \
            one, and give it to `connect` as `token` (or, to allow sessions without one, set ANONYMOUS_SESSIONS)";
        Refusal::new(404, Code::INVALID_INPUT, "unknown_path", message)
    }

    /// 500, code 99: the platform failed unexpectedly; `reason` says at what.
    pub fn internal(reason: &str) -> Self {
        Refusal::new(
            500,
            Code::SERVER_ERROR,
            reason,
            "the gateway failed; try again later",
        )
    }

    /// Adds a member of `data`.
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.data.insert(name.to_owned(), value.into());
        self
    }

    /// Adds `data.outcome`, what a create did to the account. Where that is unknown, `reason` becomes `outcome_unknown` and
    /// the actual reason `data.cause`.
    pub fn of_create(mut self, outcome: Outcome) -> Self {
        if outcome == Outcome::Unknown {
            let cause = self
                .data
                .insert("reason".to_owned(), json!("outcome_unknown"));
            self = self.with("cause", cause.unwrap_or_default());
        }
        self.with("outcome", outcome.name())
    }
}
