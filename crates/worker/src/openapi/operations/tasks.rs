//! Tasks: a status read, and the stream of updates.

use mediagate_core::Group;
use mediagate_schema::openapi::Operation;
use mediagate_schema::{self as schema, SEALED_EXAMPLE};
use serde_json::{Value, json};

use crate::openapi::builder::Builder;
use crate::openapi::content::{Content, envelope};
use crate::openapi::operation::{all_codes, header, operation, sealed_parameter, with_responses};
use mediagate_core::Part::{Always, Ledger, TaskId, TaskRecord, Token, Upstream, Watcher};

const TAG: &str = "Tasks";

/// The operation id of [`status`].
pub(super) const fn status_id(group: Group) -> &'static str {
    match group {
        Group::Generate => "readGenerateTask",
        Group::Process => "readProcessTask",
    }
}

/// `GET /api/app/v1/{group}/tasks/{id}`.
pub(super) fn status(builder: &mut Builder, group: Group) -> Operation {
    let summary = format!("Read a task of `{}`", group.name());
    let about = format!(
        "The current state of a task that a capability of the group `{}` created.",
        group.name()
    );
    let mut operation = operation(TAG, status_id(group), &summary, &about);
    operation.parameters = vec![sealed_parameter("id", "The task's `id`.")];
    let url = "https://media.example.com/result.mp4";
    let task = json!({
        "id": SEALED_EXAMPLE, "state": "SUCCEEDED", "progress": 1,
        "outputs": [{"url": url, "kind": "video"}],
    });
    let content = Content::envelope(task_data(builder), &json!({ "task": task }));
    let success = builder.response("The task.", Some(content), &[]);
    with_responses(
        builder,
        operation,
        success,
        &[Always, Token, TaskId, Ledger, Upstream, TaskRecord],
        &all_codes(),
    )
}

/// `GET /api/app/v1/tasks/{id}/events`.
pub(super) fn events(builder: &mut Builder) -> Operation {
    let about = "The task's updates as server-sent events, until a terminal state. Each event is \
        named `task`, and has a number as its `id`. Its `data` is the envelope that a read of the \
        task returns. An event named `error` carries an error response and ends the stream. The \
        stream also ends after five minutes, and when the token expires: reconnect with \
        `Last-Event-ID`.";
    let mut operation = operation(TAG, "watchTask", "Subscribe to a task", about);
    let last = header(
        "Last-Event-ID",
        false,
        json!({"type": "string"}),
        "The `id` of the last event received.",
    );
    operation.parameters = vec![
        sealed_parameter("id", "The task's `id`, of either group."),
        last,
    ];
    let task = json!({"id": SEALED_EXAMPLE, "state": "RUNNING", "outputs": []});
    let data = envelope(&json!({ "task": task })).to_string();
    let example = json!({"id": "2", "event": "task", "data": data});
    let content = Content::events(event(builder), example);
    let success = builder.response("The stream of events.", Some(content), &[]);
    with_responses(
        builder,
        operation,
        success,
        &[Always, Token, TaskId, Ledger, Watcher],
        &[],
    )
}

/// Returns the schema of one event.
fn event(builder: &Builder) -> Value {
    json!({
        "type": "object",
        "description": "One event of the stream.",
        "properties": {
            "id": {"type": "string", "description": "The event's number."},
            "event": {"type": "string", "enum": ["task", "error"]},
            "data": {
                "type": "string", "contentMediaType": "application/json",
                "contentSchema": schema::envelope(task_data(builder)),
                "description": "An envelope as JSON: of a `task` event with the task, of an \
                    `error` event an error response.",
            },
        },
        "required": ["event", "data"],
    })
}

/// Returns the schema of the `data` of a response with a task.
fn task_data(builder: &Builder) -> Value {
    json!({"type": "object", "properties": {"task": builder.task}, "required": ["task"]})
}
