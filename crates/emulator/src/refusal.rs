//! Answers in the envelope (§2), and which HTTP status goes with which code.

use axum::{
    Json,
    http::{HeaderValue, StatusCode, header::RETRY_AFTER},
    response::{IntoResponse, Response},
};
use mediagate_core::{Code, Issue};
use serde_json::{Value, json};

/// A success with its data.
pub(crate) fn ok(data: Value) -> Response {
    envelope(StatusCode::OK, Code::OK, "ok", data)
}

/// Any answer in the envelope.
pub(crate) fn envelope(status: StatusCode, code: Code, message: &str, data: Value) -> Response {
    let mut response = (status, Json(json!({ "code": code.0, "message": message, "data": data }))).into_response();
    response.extensions_mut().insert(Enveloped(code));
    response
}

/// Marks an answer in the envelope, with its code: the only kind whose HTTP status a setting may change.
#[derive(Clone, Copy)]
pub(crate) struct Enveloped(pub(crate) Code);

/// A request that is not served, and why.
#[derive(Debug)]
pub(crate) struct Refusal {
    code: Code,
    status: StatusCode,
    data: Value,
    retry_after: Option<u64>,
    echo: Option<String>,
}

impl Refusal {
    /// A refusal that says no more than its code.
    pub(crate) fn new(code: Code) -> Self {
        Refusal { code, status: status_of(code), data: Value::Null, retry_after: None, echo: None }
    }

    /// Request fields are invalid: everything that is wrong with them, as `data.errors`.
    pub(crate) fn invalid(issues: Vec<Issue>) -> Self {
        Refusal::new(Code::INVALID_INPUT).listing(issues)
    }

    /// One thing is wrong with one field.
    pub(crate) fn field(code: Code, path: &str, reason: &'static str, message: impl Into<String>) -> Self {
        Refusal::new(code).listing(vec![Issue { path: path.into(), reason, message: message.into() }])
    }

    fn listing(mut self, issues: Vec<Issue>) -> Self {
        let issues: Vec<_> =
            issues.iter().map(|it| json!({ "path": it.path, "reason": it.reason, "message": it.message })).collect();
        self.data = json!({ "errors": issues });
        self
    }

    /// The same with other data.
    pub(crate) fn with_data(self, data: Value) -> Self {
        Refusal { data, ..self }
    }

    /// The same with another HTTP status.
    pub(crate) fn with_status(self, status: StatusCode) -> Self {
        Refusal { status, ..self }
    }

    /// The same, with the seconds after which to try again.
    pub(crate) fn retry_after(self, seconds: u64) -> Self {
        Refusal { retry_after: Some(seconds), ..self }
    }

    /// The same, repeating what the caller sent.
    pub(crate) fn echoing(mut self, sent: &str) -> Self {
        self.data["debug"] = json!({ "authorization": sent });
        Refusal { echo: Some(sent.into()), ..self }
    }

    /// A path or an id that is not there.
    pub(crate) fn not_found() -> Self {
        Refusal::new(Code::INVALID_INPUT).with_status(StatusCode::NOT_FOUND)
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let message = if self.code.is_documented() { self.code.message() } else { "unknown error" };
        let message = match self.echo {
            Some(echo) => format!("{message} {echo}"),
            None => message.into(),
        };
        let mut response = envelope(self.status, self.code, &message, self.data);
        if let Some(seconds) = self.retry_after {
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}

/// The HTTP status for a code. §7 shows none: these are the ones that fit.
pub(crate) fn status_of(code: Code) -> StatusCode {
    match code {
        Code::OK => StatusCode::OK,
        Code::UNAUTHENTICATED => StatusCode::UNAUTHORIZED,
        Code::RATE_LIMIT => StatusCode::TOO_MANY_REQUESTS,
        Code::INSUFFICIENT_CREDITS | Code::PAID_PLAN_REQUIRED => StatusCode::PAYMENT_REQUIRED,
        Code::ASSET_CATEGORY_MISMATCH | Code::VOICE_ASSET_REQUIRED => StatusCode::UNPROCESSABLE_ENTITY,
        Code::ASSET_LOCKED => StatusCode::CONFLICT,
        Code::ASSET_EXPIRED => StatusCode::GONE,
        Code::INVALID_MODEL => StatusCode::NOT_FOUND,
        Code::PROVIDER_ERROR => StatusCode::BAD_GATEWAY,
        Code::PROVIDER_TIMEOUT => StatusCode::GATEWAY_TIMEOUT,
        Code::SERVER_ERROR => StatusCode::INTERNAL_SERVER_ERROR,
        _ => StatusCode::BAD_REQUEST,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_documented_failure_has_a_failing_status() {
        for (code, name, _) in Code::ALL.iter().filter(|it| it.0 != Code::OK) {
            assert!(status_of(*code).as_u16() >= 400, "{name}");
        }
    }
}
