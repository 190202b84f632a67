//! The caller's history: the list, and removing a task from it.

use mediagate_schema::openapi::Operation;
use mediagate_schema::{self as schema, SEALED_EXAMPLE};
use serde_json::{Value, json};

use crate::openapi::builder::Builder;
use crate::openapi::content::Content;
use crate::openapi::operation::{all_codes, operation, sealed_parameter, with_responses};
use mediagate_core::Part::{Always, Forget, Ledger, List, TaskId, TaskRecord, Token, Upstream};

const TAG: &str = "Tasks";

/// `GET /api/app/v1/tasks`.
pub(super) fn list(builder: &mut Builder) -> Operation {
    let about = "The caller's tasks and pipelines, newest first, for as many days as the \
        operator's `HISTORY_DAYS` says. States are as the gateway last saw them: read a task that \
        runs for its current one.";
    let mut operation = operation(TAG, "listTasks", "List tasks and pipelines", about);
    let selection = schema::history_selection();
    operation.parameters = selection.map(|(name, schema)| query(name, schema)).into();
    let url = "https://media.example.com/result.mp4";
    let example = json!({
        "id": SEALED_EXAMPLE, "capability": "image_to_video", "title": "Lighthouse",
        "created_at": "2026-11-20T09:30:00.000Z", "ended_at": "2026-11-20T09:31:10.000Z",
        "state": "SUCCEEDED", "outputs": [{"url": url, "kind": "video"}],
    });
    let pipeline = json!({
        "id": SEALED_EXAMPLE, "title": "Lighthouse", "state": "RUNNING",
        "created_at": "2026-11-20T09:30:00.000Z",
    });
    let content = Content::envelope(
        schema::history_page(),
        &json!({"tasks": [example], "pipelines": [pipeline], "cursor": "41"}),
    );
    let success = builder.response("The tasks and pipelines.", Some(content), &[]);
    with_responses(
        builder,
        operation,
        success,
        &[Always, Token, List, Ledger],
        &[],
    )
}

/// `DELETE /api/app/v1/tasks/{id}`.
pub(super) fn forget(builder: &mut Builder) -> Operation {
    let about = "Removes a task that has ended from the caller's history. Nothing changes at the \
        media service, where the task can still be read by its id; a result that came without a \
        task can't.";
    let mut operation = operation(TAG, "forgetTask", "Remove a task from the history", about);
    operation.parameters = vec![sealed_parameter(
        "id",
        "The `id` of the task in the history.",
    )];
    let content = Content::envelope(json!({"type": "object"}), &json!({}));
    let success = builder.response(
        "The history does not have the task, or no longer.",
        Some(content),
        &[],
    );
    let steps = [Always, Token, TaskId, Forget, Ledger, Upstream, TaskRecord];
    with_responses(builder, operation, success, &steps, &all_codes())
}

/// Returns an optional query parameter. Its description is taken out of the schema.
fn query(name: &str, mut schema: Value) -> Value {
    let description = schema["description"].take();
    if let Some(members) = schema.as_object_mut() {
        members.remove("description");
    }
    json!({
        "name": name, "in": "query", "required": false,
        "schema": schema, "description": description,
    })
}
