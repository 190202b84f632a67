use serde_json::{Value, json};

use super::ids::sealed_id;
use super::pipeline::pipeline_entry;
use super::response::{date, described, list, output, task_error, typed};

/// Returns the schema of a page of the history, which is `data` of the response.
pub fn history_page() -> Value {
    json!({
        "type": "object",
        "properties": {
            "tasks": {"type": "array", "maxItems": 100, "items": history_entry()},
            "pipelines": {"type": "array", "maxItems": 100, "items": pipeline_entry()},
            "cursor": typed("string", "Where the next response begins; absent at the end."),
        },
        "required": ["tasks", "pipelines"],
    })
}

/// Returns the parameters that select a page of the history: `limit` and `cursor`.
pub fn history_selection() -> [(&'static str, Value); 2] {
    let limit = json!({
        "type": "integer", "minimum": 1, "maximum": 100,
        "description": "The largest number of tasks in the response, 1 to 100. By default 50.",
    });
    let cursor = json!({
        "type": "string", "pattern": "^[0-9]{1,15}$",
        "description": "The `cursor` of the previous response; without one, the newest tasks.",
    });
    [("limit", limit), ("cursor", cursor)]
}

fn history_entry() -> Value {
    json!({
        "type": "object",
        "description": "A task as the gateway last saw it.",
        "properties": {
            "id": described(
                sealed_id(),
                "The task's id. If the create's response was lost, the id can only be used to \
                    remove this entry.",
            ),
            "capability": {
                "type": "string",
                "description": "The name of the capability.",
                "examples": ["image_to_video"],
            },
            "title": {
                "type": "string",
                "maxLength": 200,
                "description": "The `title` of the create.",
            },
            "created_at": date("When it was created."),
            "ended_at": date("When the gateway saw that the task had ended."),
            "unfinished": typed(
                "boolean",
                "True if no end was seen in the time that the gateway follows tasks: read the \
                    task.",
            ),
            "state": {
                "type": "string",
                "description": "The state, as a task has it.",
                "examples": ["QUEUED", "SUCCEEDED"],
            },
            "outputs": list(output(), "What the task produced. An output's URL may have expired."),
            "error": task_error(),
            "outcome": {
                "type": "string", "const": "unknown",
                "description": "The create's response was lost: whether there is a task, and \
                    whether it was charged, is unknown.",
            },
        },
        "required": ["id", "capability", "created_at", "outputs"],
        "additionalProperties": false,
    })
}
