//! What callers see: errors and snapshots, from the engine's values.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value as Json;

use crate::driver::{Driver, Host};
use crate::error::{Error, Issue, Outcome, Report};
use crate::snapshot::{Output, TaskSnapshot};
use crate::value::{Value, to_json};

/// The error of an object with an error's members.
pub(super) fn error(value: &Value) -> Error {
    Error::new(Report {
        code: value.text_of("code").unwrap_or_default(),
        message: value
            .text_of("message")
            .map(|it| in_words_of_rust(&it))
            .unwrap_or_default(),
        hint: value.text_of("hint").map(|it| in_words_of_rust(&it)),
        status: value
            .number_of("status")
            .map(|it| it as u16)
            .filter(|it| *it > 0),
        retryable: value.member("retryable").is_some_and(|it| it.is_true()),
        outcome: value.text_of("outcome").map(|it| outcome(&it)),
        idempotency_key: value.text_of("idempotencyKey"),
        issues: value
            .member("issues")
            .map(|it| issues(&it))
            .unwrap_or_default(),
        reason: value.text_of("reason"),
        request_id: value.text_of("requestId"),
        retry_after: value
            .number_of("retryAfter")
            .and_then(|it| Duration::try_from_secs_f64(it).ok()),
        app_code: value.number_of("appCode").map(|it| it as i32),
        details: value
            .member("details")
            .map_or(Json::Null, |it| to_json(&it)),
        task: value.member("task").map(|it| Arc::new(snapshot(&it))),
        cause: match value.member("cause") {
            Some(Value::Cause(cause)) => Some(cause),
            _ => None,
        },
    })
}

/// What the engine's hints call as JavaScript does.
const NAMES: [(&str, &str); 6] = [
    ("error.idempotencyKey", "the report's idempotency_key"),
    ("error.task.raw", "raw of the report's task"),
    (
        "capabilities() lists their names",
        "request::NAMES lists all",
    ),
    (
        "give JSON.parse(JSON.stringify(task))",
        "give what Task::saved returned, of a capability in request::NAMES",
    ),
    ("Files, Blobs or file ids", "Files or file ids"),
    ("a File, a Blob or a file id", "a File or a file id"),
];
/// What the engine's hints say to a page, and what a program needs to know in its place.
const PAGES: [(&str, &str); 3] = [
    (
        "check the connection, the url, connect-src of the page's Content-Security-Policy, the gateway's ALLOWED_ORIGINS, and \
         each header that a middleware adds",
        "check the connection and the url; the cause says more",
    ),
    (
        "check the connection, and that the storage allows this page's origin (CORS)",
        "check the connection; the cause says more",
    ),
    (
        "the browser's network log has its response",
        "the status says more",
    ),
];

/// A message or a hint of the engine's, with the names that Rust has.
fn in_words_of_rust(hint: &str) -> String {
    let pages = PAGES.into_iter().filter(|_| !Host::IS_PAGE);
    NAMES
        .into_iter()
        .chain(pages)
        .fold(hint.to_owned(), |hint, (script, rust)| {
            hint.replace(script, rust)
        })
}

fn outcome(name: &str) -> Outcome {
    match name {
        "not_sent" => Outcome::NotSent,
        "rejected" => Outcome::Rejected,
        _ => Outcome::Unknown,
    }
}

fn issues(list: &Value) -> Vec<Issue> {
    let issue = |it: Value| {
        let text = |name| it.text_of(name).unwrap_or_default();
        let message = in_words_of_rust(&text("message"));
        Issue::new(
            text("path"),
            text("reason"),
            message,
            text("severity") == "warning",
        )
    };
    (0..list.length())
        .filter_map(|it| list.item(it))
        .map(issue)
        .collect()
}

/// The snapshot of an object with a snapshot's members.
pub(crate) fn snapshot(value: &Value) -> TaskSnapshot {
    let text = |name| value.text_of(name).unwrap_or_default();
    let raw = value.member("raw").map_or(Json::Null, |it| to_json(&it));
    TaskSnapshot {
        outputs: outputs(&raw, &text("id")),
        id: text("id"),
        capability: text("capability"),
        state: value.text_of("state"),
        progress: value.number_of("progress"),
        eta: raw
            .get("eta")
            .and_then(|it| serde_json::from_value(it.clone()).ok()),
        raw,
    }
}

/// The outputs of a task's record or of its entry in the history, each with its place; one of a form that is not known is
/// left out.
pub(crate) fn outputs(record: &Json, task_id: &str) -> Vec<Output> {
    let items = record.get("outputs").and_then(Json::as_array);
    let output = |(position, it): (usize, &Json)| {
        let output: Output = serde_json::from_value(it.clone()).ok()?;
        Some(Output {
            task_id: task_id.to_owned(),
            output: position,
            ..output
        })
    };
    items
        .into_iter()
        .flatten()
        .enumerate()
        .filter_map(output)
        .collect()
}
