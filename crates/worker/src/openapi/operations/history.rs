//! The caller's history: the list, and removing a task from it.

use mediagate_core::openapi::Operation;
use mediagate_core::schema::{self, SEALED_EXAMPLE};
use serde_json::{Value, json};

use crate::openapi::builder::Builder;
use crate::openapi::operation::{JSON, all_codes, envelope, operation, sealed_parameter, with_responses};
use crate::openapi::refusal_table::Step::{Always, Forget, Ledger, List, TaskId, TaskRecord, Token, Upstream};

const TAG: &str = "Tasks";

/// `GET /api/app/v1/tasks`.
pub(super) fn list(builder: &mut Builder) -> Operation {
    let about = "What the caller has created, newest first, for as many days as the operator's `HISTORY_DAYS` says. States \
        are as the gateway last saw them: read a task that runs for its current one.";
    let mut operation = operation(TAG, "listTasks", "List tasks", about);
    let limit = json!({"type": "integer", "minimum": 1, "maximum": 100, "default": 50});
    let cursor = json!({"type": "string", "pattern": "^[0-9]{1,15}$"});
    operation.parameters = vec![
        query("limit", &limit, "The most tasks in the response."),
        query("cursor", &cursor, "The `cursor` of the response before; without one, the newest tasks."),
    ];
    let url = "https://media.example.com/result.mp4";
    let example = json!({
        "id": SEALED_EXAMPLE, "capability": "image_to_video", "title": "Lighthouse",
        "created_at": "2026-11-20T09:30:00.000Z", "ended_at": "2026-11-20T09:31:10.000Z",
        "state": "SUCCEEDED", "outputs": [{"url": url, "kind": "video"}],
    });
    let data = json!({
        "type": "object",
        "properties": {
            "tasks": {"type": "array", "maxItems": 100, "items": schema::history_entry()},
            "cursor": {"type": "string", "description": "Where the next response begins; absent at the end."},
        },
        "required": ["tasks"],
    });
    let content = (JSON, schema::envelope(data), envelope(&json!({"tasks": [example], "cursor": "41"})));
    let success = builder.response("The tasks.", Some(content), &[]);
    with_responses(builder, operation, success, &[Always, Token, List, Ledger], &[])
}

/// `DELETE /api/app/v1/tasks/{id}`.
pub(super) fn forget(builder: &mut Builder) -> Operation {
    let about = "Removes a task that has ended from the caller's history. Nothing changes at the media service, where the task can \
        still be read by its id; a result that came without a task can't.";
    let mut operation = operation(TAG, "forgetTask", "Remove a task from the history", about);
    operation.parameters = vec![sealed_parameter("id", "The `id` of the task in the history.")];
    let content = (JSON, schema::envelope(json!({"type": "object"})), envelope(&json!({})));
    let success = builder.response("The history does not have the task, or no longer.", Some(content), &[]);
    let steps = [Always, Token, TaskId, Forget, Ledger, Upstream, TaskRecord];
    with_responses(builder, operation, success, &steps, &all_codes())
}

/// An optional query parameter.
fn query(name: &str, schema: &Value, description: &str) -> Value {
    json!({"name": name, "in": "query", "required": false, "schema": schema, "description": description})
}
