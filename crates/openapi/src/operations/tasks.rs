//! Tasks: a status read, and the stream of updates.

use crate::parts::Operation;
use mediagate_core::Group;
use mediagate_schema::SEALED_EXAMPLE;
use serde_json::{Value, json};

use crate::builder::Builder;
use crate::content::Content;
use crate::operation::{last_event_id, operation, sealed_parameter};

const TAG: &str = "Tasks";

pub(super) const fn status_id(group: Group) -> &'static str {
    match group {
        Group::Generate => "readGenerateTask",
        Group::Process => "readProcessTask",
    }
}

/// `GET /api/app/v1/{group}/tasks/{id}`.
pub(super) fn status(builder: &Builder, group: Group) -> Operation {
    let name = group.name();
    let summary = format!("Read a task of `{name}`");
    let about =
        format!("The current state of a task that a capability of the group `{name}` created.");
    let url = "https://media.example.com/result.mp4";
    let task = json!({
        "id": SEALED_EXAMPLE, "state": "SUCCEEDED", "progress": 1,
        "outputs": [{"url": url, "kind": "video"}],
    });
    let content = Content::envelope(task_data(builder), &json!({ "task": task }));
    let success = builder.response("The task.", content, &[]);
    Operation {
        parameters: vec![sealed_parameter("id", "The task's `id`.")],
        ..operation(TAG, status_id(group), &summary, &about, success)
    }
}

/// `GET /api/app/v1/tasks/{id}/events`.
pub(super) fn events(builder: &Builder) -> Operation {
    let about = "The task's updates as server-sent events, until a terminal state. Each event is \
        named `task`, and has a number as its `id`. Its `data` is the envelope that a read of the \
        task returns. An event named `error` carries an error response and ends the stream. The \
        stream also ends after five minutes, and when the token expires: reconnect with \
        `Last-Event-ID`.";
    let task = json!({"id": SEALED_EXAMPLE, "state": "RUNNING", "outputs": []});
    let content = Content::events(
        &["task", "error"],
        task_data(builder),
        "An envelope as JSON: of a `task` event with the task, of an `error` event an error \
         response.",
        &json!({ "task": task }),
    );
    let success = builder.response("The stream of events.", content, &[]);
    let id = sealed_parameter("id", "The task's `id`, of either group.");
    Operation {
        parameters: vec![id, last_event_id()],
        ..operation(TAG, "watchTask", "Subscribe to a task", about, success)
    }
}

fn task_data(builder: &Builder) -> Value {
    json!({"type": "object", "properties": {"task": builder.task}, "required": ["task"]})
}
