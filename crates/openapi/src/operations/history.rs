//! The caller's history: the list, and removing a task from it.

use crate::parts::Operation;
use mediagate_schema::{self as schema, SEALED_EXAMPLE};
use serde_json::json;

use crate::builder::Builder;
use crate::content::Content;
use crate::operation::{operation, query, sealed_parameter};

const TAG: &str = "Tasks";

/// `GET /api/app/v1/tasks`.
pub(super) fn list(builder: &Builder) -> Operation {
    let about = "The caller's tasks and pipelines, newest first, for as many days as the \
        operator's `HISTORY_DAYS` says. States are as the gateway last saw them: read a task that \
        runs for its current one.";
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
    let example = json!({"tasks": [example], "pipelines": [pipeline], "cursor": "41"});
    let content = Content::envelope(schema::history_page(), &example);
    let success = builder.response("The tasks and pipelines.", content, &[]);
    let mut operation = operation(TAG, "listTasks", "List tasks and pipelines", about, success);
    let selection = schema::history_selection().into_iter();
    operation.parameters = selection
        .map(|(name, mut schema)| {
            let members = schema.as_object_mut();
            let description = members.and_then(|members| members.remove("description"));
            query(name, schema, &description.into())
        })
        .collect();
    operation
}

/// `DELETE /api/app/v1/tasks/{id}`.
pub(super) fn forget(builder: &Builder) -> Operation {
    let about = "Removes a task that has ended from the caller's history. Nothing changes at the \
        media service, where the task can still be read by its id; a result that came without a \
        task can't.";
    let content = Content::envelope(json!({"type": "object"}), &json!({}));
    let success = "The history does not have the task, or no longer.";
    let success = builder.response(success, content, &[]);
    let summary = "Remove a task from the history";
    let id = sealed_parameter("id", "The `id` of the task in the history.");
    Operation {
        parameters: vec![id],
        ..operation(TAG, "forgetTask", summary, about, success)
    }
}
