//! The errors of inputs that are not valid, and of error responses.

use mediagate_core::{Envelope, Issue, Outcome, Type, Value, code_of};

use crate::error::{Error, Failure, Reported};
use crate::platform::Platform;

/// An input that is not valid, with all of its issues: `invalid_input`, or the document's own code for what is missing.
pub fn invalid<P: Platform>(platform: &P, issues: &[Issue]) -> Error<P::Value> {
    let code = code_of(issues);
    let number = platform.number(f64::from(code.0));
    let error = Error::new(platform, code.name(), code.message());
    with_issues(platform, error, issues_value(platform, issues)).with(
        platform,
        "appCode",
        Some(number),
    )
}

/// The failure that an error response of the upstream or the gateway stands for, by its HTTP status and its envelope.
pub fn from_envelope<P: Platform>(
    platform: &P,
    status: u16,
    envelope: &Envelope<P::Value>,
) -> Failure<P::Value> {
    let Envelope {
        code,
        message,
        data,
    } = *envelope;
    let member = |name: &str| data.and_then(|it| it.get(name));
    let is = |name: &str, value: &str| member(name).is_some_and(|it| it.is(value));
    let reason = ["upstream_credentials", "budget"]
        .into_iter()
        .find(|it| is("reason", it))
        .unwrap_or_default();
    let outcomes = [Outcome::NotSent, Outcome::Rejected, Outcome::Unknown];
    let named = outcomes.into_iter().find(|it| is("outcome", it.name()));
    let passing = code.is_retryable() || status == 429 || (!code.is_documented() && status >= 500);
    let documented = if code.is_documented() {
        code.message()
    } else {
        "the gateway refused with an undocumented code"
    };
    let retryable = passing && reason != "budget";
    let message = message.filter(|it| it.kind() == Type::Text && !it.is(""));
    // The members of `data` that the error has no member for.
    let shown = ["errors", "reason", "request_id", "outcome"];
    let rest = data.map(|it| {
        shown
            .into_iter()
            .fold(it, |it, name| platform.omit(it, name))
    });
    let mut error = Error::with_status(
        platform,
        code.cause(status, reason),
        documented,
        status,
        retryable,
    )
    .with(platform, "message", message)
    .with(
        platform,
        "appCode",
        Some(platform.number(f64::from(code.0))),
    )
    .with(platform, "reason", member("reason"))
    .with(platform, "requestId", member("request_id"))
    .with(platform, "outcome", member("outcome"))
    .with(
        platform,
        "details",
        Some(rest.unwrap_or_else(|| platform.with_member(None, "", None))),
    );
    if let Some(issues) = member("errors") {
        error = with_issues(platform, error, issues);
    }
    let reported = Reported {
        // An outcome of a newer gateway is none that this client knows to have cost nothing.
        outcome: named.unwrap_or(if member("outcome").is_some() {
            Outcome::Unknown
        } else {
            code.outcome()
        }),
        is_named: named.is_some(),
        is_in_ledger: is("cause", "ledger"),
    };
    Failure {
        error,
        reported: Some(reported),
        retry_after_ms: 0,
    }
}

/// Issues as JavaScript sees them: `[{path, reason, message, severity}]`.
pub fn issues_value<P: Platform>(platform: &P, issues: &[Issue]) -> P::Value {
    issues.iter().fold(platform.list(), |list, it| {
        let text = |it: &str| Some(platform.text(it));
        let issue = platform.with_member(None, "path", text(&it.path));
        let issue = platform.with_member(Some(issue), "reason", text(it.reason.name()));
        let issue = platform.with_member(Some(issue), "message", text(&it.message));
        platform.with_item(
            list,
            platform.with_member(Some(issue), "severity", text(it.severity.name())),
        )
    })
}

/// The error with its issues, of which its message lists the first three.
fn with_issues<P: Platform>(
    platform: &P,
    error: Error<P::Value>,
    issues: P::Value,
) -> Error<P::Value> {
    let mut line = None;
    for issue in issues.items().take(3) {
        let text = |name| issue.get(name).filter(|it| it.kind() == Type::Text);
        let (Some(path), Some(message)) = (text("path"), text("message")) else {
            continue;
        };
        let text = match line {
            None => platform.text("invalid input: "),
            Some(line) => platform.append(line, "; "),
        };
        let text = platform.append_value(text, path);
        let text = if path.is("") {
            text
        } else {
            platform.append(text, " ")
        };
        line = Some(platform.append_value(text, message));
    }
    let list = Some(issues).filter(|it| it.kind() == Type::List);
    error
        .with(platform, "message", line)
        .with(platform, "issues", list)
}
