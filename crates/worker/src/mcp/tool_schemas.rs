//! The input and output schemas of the tools.

use mediagate_core::schema::{self, Ids};
use mediagate_core::{CAPABILITIES, Capability, Field, Kind};
use serde_json::{Value, json};

use crate::identity::Scope;

/// The argument with a create's idempotency key; no capability has a field of that name.
pub(super) const KEY: &str = "idempotency_key";

/// The arguments of `get_task`.
pub(super) static TASK_FIELDS: [Field; 2] = [
    Field::new("task_id", Kind::Text).required().doc("The id of a task, as a tool returned it."),
    Field::new("wait_seconds", Kind::Integer(0))
        .doc("Seconds to wait for the task to end; without it the tool returns at once."),
];

/// The arguments of a capability's tool: its fields, and the idempotency key.
pub(super) fn create_input(capability: &Capability) -> Value {
    let mut input = schema::input(capability, Ids::Sealed);
    input["properties"][KEY] = json!({
        "type": "string", "pattern": "^[!-~]+$", "maxLength": 255,
        "description": "A string of your choice, such as a UUID. A repeated call with the same key within 24 hours returns \
            what the first call created; nothing is created twice.",
        "examples": ["0b8e5c1e-7d0f-4f8e-9a43-3a1c5b2f9d10"],
    });
    input
}

pub(super) fn no_input() -> Value {
    json!({"type": "object", "properties": {}, "additionalProperties": false})
}

pub(super) fn task_input() -> Value {
    let [id, wait] = TASK_FIELDS.each_ref().map(|it| it.doc);
    let mut task_id = schema::sealed_id();
    task_id["description"] = json!(id);
    json!({
        "type": "object", "required": ["task_id"], "additionalProperties": false,
        "properties": {
            "task_id": task_id,
            "wait_seconds": {"type": "integer", "minimum": 0, "maximum": i32::MAX, "description": wait},
        },
    })
}

pub(super) fn task_output() -> Value {
    json!({"type": "object", "properties": {"task": schema::task()}, "required": ["task"]})
}

pub(super) fn upload_output() -> Value {
    json!({
        "type": "object", "required": ["upload_url", "file_id"],
        "properties": {
            "upload_url": {"type": "string", "format": "uri", "description": "The URL to send the bytes to, with PUT."},
            "file_id": schema::sealed_id(),
        },
    })
}

pub(super) fn options_output() -> Value {
    json!({
        "type": "object", "required": ["any_asset", "public_assets"],
        "properties": {
            "catalogue": {"description": "The media service's model catalogue, unchanged; absent if it has none."},
            "any_asset": {"type": "boolean", "description": "Whether every asset id of the media service may be used."},
            "public_assets": {
                "type": "array", "items": {"type": "string"},
                "description": "Ids for avatar_asset_id and voice_asset_id that any caller may use, in addition to those that \
                    the caller's own tasks produced.",
            },
        },
    })
}

/// The arguments of `estimate_credits`: the capabilities are those that the scope allows.
pub(super) fn estimate_input(scope: &Scope) -> Value {
    let names: Vec<_> = CAPABILITIES.iter().filter(|it| scope.allows(it)).map(|it| it.name()).collect();
    json!({
        "type": "object", "required": ["capability", "input"], "additionalProperties": false,
        "properties": {
            "capability": {"type": "string", "enum": names, "description": "The tool's name, without its prefix."},
            "input": {"type": "object", "description": "The arguments of that tool."},
        },
    })
}

pub(super) fn estimate_output() -> Value {
    json!({
        "type": "object",
        "description": "The media service's own estimate; one that is not an object is in estimate.",
    })
}
