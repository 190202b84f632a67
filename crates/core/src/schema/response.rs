//! Answers as schemas: what the gateway makes uniform of what the service says.

use serde_json::{Value, json};

use super::{SEALED_EXAMPLE, SEALED_LENGTH, SEALED_PATTERN};
use crate::capability::Capability;

/// An id as the gateway gives it.
pub fn sealed_id() -> Value {
    let [shortest, longest] = SEALED_LENGTH;
    json!({"type": "string", "pattern": SEALED_PATTERN, "minLength": shortest, "maxLength": longest})
}

/// The envelope around what a request asked for.
pub fn envelope(data: Value) -> Value {
    json!({
        "type": "object",
        "properties": {
            "code": {"type": "integer", "format": "int32", "const": 0, "description": "The application code: 0 is success."},
            "message": {"type": "string", "description": "A short text that goes with the code.", "examples": ["ok"]},
            "data": data,
        },
        "required": ["code", "message", "data"],
    })
}

/// A task, as the gateway answers it: the service's record with `id`, `state`, `progress` and `outputs` made uniform.
pub fn task() -> Value {
    json!({
        "type": "object",
        "description": "The service's record of a task, with these members made uniform. What else it holds is passed on as it came, with the ids in it sealed.",
        "properties": {
            "id": described(sealed_id(), "Names the task, for its caller alone. The same task always has the same id."),
            "state": {
                "type": "string",
                "description": "As the service says it. `SUCCEEDED`, `FAILED` and `EXPIRED` are the last ones; any other, or none, means that the task goes on.",
                "examples": ["QUEUED", "RUNNING", "SUCCEEDED", "FAILED", "EXPIRED"],
            },
            "progress": {
                "type": "number", "minimum": 0, "maximum": 1,
                "description": "How far it is; absent where the service does not say.",
            },
            "outputs": {
                "type": "array", "items": output(), "maxItems": 100,
                "description": "What it produced; empty until then.",
            },
            "raw": {"description": "What the record itself had under the names above, where that was something else."},
        },
        "required": ["id", "outputs"],
        "additionalProperties": true,
        "examples": [{
            "id": SEALED_EXAMPLE, "state": "SUCCEEDED", "progress": 1,
            "outputs": [{"url": "https://media.example.com/result.mp4", "kind": "video"}],
        }],
    })
}

/// One thing that a task produced.
pub fn output() -> Value {
    json!({
        "type": "object",
        "description": "One thing that a task produced: a file, a reusable asset, or both.",
        "properties": {
            "url": {"type": "string", "format": "uri", "description": "Where to load it from."},
            "asset_id": described(sealed_id(), "The id of a reusable asset, for fields such as `avatar_asset_id`."),
            "kind": {
                "type": "string", "enum": ["image", "video", "audio", "pdf"],
                "description": "What it is, where that can be told.",
            },
        },
        "additionalProperties": false,
    })
}

/// `data` of a successful create: the task, and what else the service says of it; for a capability that may answer
/// without a task, that or `result`.
pub fn created(capability: &Capability) -> Value {
    if !capability.may_answer_without_task {
        return json!({"type": "object", "properties": {"task": task()}, "required": ["task"]});
    }
    json!({
        "type": "object",
        "description": "A task, or where the service made none, its answer as `result`.",
        "properties": {
            "task": task(),
            "result": {
                "type": "object",
                "description": "The service's own answer, already done, with the outputs found in it.",
                "properties": {"outputs": {"type": "array", "items": output(), "maxItems": 100}},
                "required": ["outputs"],
            },
        },
        "anyOf": [{"required": ["task"]}, {"required": ["result"]}],
    })
}

/// One thing that is wrong with a request.
pub fn issue() -> Value {
    json!({
        "type": "object",
        "description": "One thing that is wrong with a request.",
        "properties": {
            "path": {
                "type": "string",
                "description": "Where, such as `segments[1].end_time`; empty for the request itself.",
            },
            "reason": {
                "type": "string",
                "description": "Why, as a stable word.",
                "examples": ["missing", "empty", "unknown_field", "wrong_type", "out_of_range", "malformed", "order", "unknown_id"],
            },
            "message": {"type": "string", "description": "What is wrong and what would be right."},
        },
        "required": ["path", "reason", "message"],
        "examples": [{
            "path": "segments[0].end_time", "reason": "order",
            "message": "is not after start_time; give a later time",
        }],
    })
}

fn described(mut schema: Value, description: &str) -> Value {
    schema["description"] = json!(description);
    schema
}
