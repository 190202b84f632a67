use axum::{
    http::{HeaderValue, StatusCode, header::RETRY_AFTER},
    response::{IntoResponse, Response},
};
use mediagate_core::Code;
use serde_json::{Value, json};

use super::envelope::{envelope, message_of};
use super::problem::Problem;

#[derive(Debug)]
pub(crate) struct Refusal {
    code: Code,
    status: StatusCode,
    data: Value,
    retry_after: Option<u64>,
    /// A value of the request that the message repeats, for the directive `echo-key`.
    echo: Option<String>,
}

impl Refusal {
    /// Returns a refusal with the code's HTTP status, and without data.
    pub(crate) fn new(code: Code) -> Self {
        Refusal {
            code,
            status: status_of(code),
            data: Value::Null,
            retry_after: None,
            echo: None,
        }
    }

    pub(crate) fn invalid(problems: Vec<Problem>) -> Self {
        Refusal::new(Code::INVALID_INPUT).with_problems(&problems)
    }

    /// Returns a refusal with one problem. `path` is a JSON path, `reason` a stable identifier,
    /// `message` a sentence for a developer.
    pub(crate) fn field(
        code: Code,
        path: &str,
        reason: &'static str,
        message: impl Into<String>,
    ) -> Self {
        Refusal::new(code).with_problems(&[Problem::new(path, reason, message)])
    }

    pub(crate) fn invalid_field(
        path: &str,
        reason: &'static str,
        message: impl Into<String>,
    ) -> Self {
        Refusal::field(Code::INVALID_INPUT, path, reason, message)
    }

    pub(crate) fn with_problems(mut self, problems: &[Problem]) -> Self {
        self.data = json!({ "errors": problems.iter().map(Problem::record).collect::<Vec<_>>() });
        self
    }

    pub(crate) fn with_data(self, data: Value) -> Self {
        Refusal { data, ..self }
    }

    pub(crate) fn with_status(self, status: StatusCode) -> Self {
        Refusal { status, ..self }
    }

    /// Adds a `Retry-After` header, in seconds.
    pub(crate) fn retry_after(self, seconds: u64) -> Self {
        Refusal {
            retry_after: Some(seconds),
            ..self
        }
    }

    pub(crate) fn echoing(mut self, value: &str) -> Self {
        self.data["debug"] = json!({ "authorization": value });
        Refusal {
            echo: Some(value.into()),
            ..self
        }
    }

    pub(crate) fn not_found() -> Self {
        Refusal::new(Code::INVALID_INPUT).with_status(StatusCode::NOT_FOUND)
    }

    pub(crate) fn insufficient_storage() -> Self {
        Refusal::new(Code::SERVER_ERROR).with_status(StatusCode::INSUFFICIENT_STORAGE)
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let mut message = message_of(self.code).to_owned();
        if let Some(echo) = &self.echo {
            message += &format!(" {echo}");
        }
        let mut response = envelope(self.status, self.code, &message, self.data);
        if let Some(seconds) = self.retry_after {
            response
                .headers_mut()
                .insert(RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}

/// Returns the HTTP status of a code. §7 shows none, so each code has the status that fits its
/// meaning.
pub(crate) fn status_of(code: Code) -> StatusCode {
    match code {
        Code::OK => StatusCode::OK,
        Code::UNAUTHENTICATED => StatusCode::UNAUTHORIZED,
        Code::RATE_LIMIT => StatusCode::TOO_MANY_REQUESTS,
        Code::INSUFFICIENT_CREDITS | Code::PAID_PLAN_REQUIRED => StatusCode::PAYMENT_REQUIRED,
        Code::ASSET_CATEGORY_MISMATCH | Code::VOICE_ASSET_REQUIRED => {
            StatusCode::UNPROCESSABLE_ENTITY
        }
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
        for (code, name, _) in Code::ALL.iter().filter(|(code, ..)| *code != Code::OK) {
            assert!(status_of(*code).as_u16() >= 400, "{name}");
        }
    }
}
