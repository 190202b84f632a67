//! The schema of all error responses.

use serde_json::{Value, json};

/// Returns the schema of an error response. `issue` refers to the schema of an entry of
/// `data.errors`.
pub(super) fn schema(issue: &Value) -> Value {
    json!({
        "type": "object",
        "description": "An error response.",
        "properties": {
            "code": {
                "type": "integer", "format": "int32",
                "description": "The application code, from the media service's list.",
            },
            "message": {
                "type": "string",
                "description": "What is wrong and how to fix it, for a person.",
            },
            "data": data(issue),
        },
        "required": ["code", "message", "data"],
    })
}

fn data(issue: &Value) -> Value {
    json!({
        "type": "object",
        "description": "Details for programs. For an error response of the media service it \
            includes that response's `data`.",
        "properties": {
            "reason": {"type": "string", "description": "The reason, as a stable string."},
            "request_id": {
                "type": "string",
                "description": "Identifies the request, as `x-request-id` does.",
            },
            "errors": {
                "type": "array", "items": issue,
                "description": "Every problem with the request's fields.",
            },
            "outcome": {
                "type": "string", "enum": ["not_sent", "rejected", "unknown"],
                "description": "The effect of a failed create: none (`not_sent`, `rejected`), or \
                    unknown (`unknown`): it may have been charged.",
            },
            "cause": {
                "type": "string",
                "description": "The actual reason of an `outcome_unknown`.",
            },
            "limit": {
                "type": "string",
                "enum": [
                    "creates", "generate", "process", "in_flight", "pipelines", "pipeline_starts",
                    "uploads", "upload_bytes", "estimates",
                ],
                "description": "The limit that is used up, or that has too little left.",
            },
            "needed": {
                "type": "integer",
                "description": "How many creates a pipeline needs of the limit.",
            },
            "left": {"type": "integer", "description": "How many are left of the limit."},
            "step": {
                "type": "string",
                "description": "The step of a pipeline that is not allowed, or not valid.",
            },
            "capability": {
                "type": "string",
                "description": "What the token's scope does not allow.",
            },
            "paid_plan_required": {
                "description": "With code 1409, the media service's information about the plan.",
            },
        },
        "required": ["reason", "request_id"],
        "additionalProperties": true,
    })
}
