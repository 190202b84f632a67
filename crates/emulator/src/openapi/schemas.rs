//! The schemas of responses.

use mediagate_core::{CAPABILITIES, schema};
use serde_json::{Value, json};

/// An error response in the envelope (§7). `issue` is the schema of an entry of `data.errors`.
pub(super) fn refusal(issue: &Value) -> Value {
    let errors = json!({"type": "array", "items": issue, "description": "Every issue of the request."});
    json!({
        "type": "object",
        "properties": {
            "code": {"type": "integer", "format": "int32", "not": {"const": 0}},
            "message": {"type": "string"},
            "data": {"type": ["object", "null"], "properties": {"errors": errors}, "additionalProperties": true},
        },
        "required": ["code", "message", "data"],
    })
}

/// The body of `POST upload_urls`.
pub(super) fn upload() -> Value {
    let text = schema::filled_text();
    json!({
        "type": "object",
        "properties": {
            "file_name": text,
            "content_type": text,
            "size": {"type": "integer", "format": "int64", "minimum": 1, "maximum": (1_u64 << 53) - 1, "description": "Bytes."},
        },
        "required": ["file_name", "content_type", "size"],
        "description": "The file to upload. Other members are ignored.",
    })
}

/// A valid body of `POST upload_urls`.
pub(super) fn upload_example() -> Value {
    json!({"file_name": "photo.png", "content_type": "image/png", "size": 1024})
}

/// The data of `POST upload_urls`.
pub(super) fn upload_url() -> Value {
    json!({
        "type": "object",
        "properties": {
            "upload_url": {"type": "string", "format": "uri"},
            "file_id": {"type": "string"},
            "expires_in": {"type": "integer", "minimum": 0, "description": "Seconds."},
        },
        "required": ["upload_url", "file_id", "expires_in"],
    })
}

/// The data of `POST credits/estimate`.
pub(super) fn credits() -> Value {
    let members =
        json!({"credits": {"type": "integer"}, "capability": {"type": "string"}, "model_id": {"type": "string"}});
    json!({"type": "object", "properties": members, "required": ["credits"]})
}

/// A model of the catalogue.
pub(super) fn model() -> Value {
    json!({
        "type": "object",
        "properties": {
            "model_id": {"type": "string"},
            "capability": {"enum": CAPABILITIES.iter().map(|it| it.name()).collect::<Vec<_>>()},
            "generation_options": {"type": "object", "additionalProperties": {"type": "array"}},
        },
        "required": ["model_id", "capability", "generation_options"],
        "additionalProperties": true,
    })
}

/// A public asset in the catalogue.
pub(super) fn asset_entry() -> Value {
    json!({
        "type": "object",
        "properties": {
            "asset_id": {"type": "string"},
            "category": {"enum": ["avatar", "voice"]},
            "title": {"type": "string"},
        },
        "required": ["asset_id", "category", "title"],
    })
}

/// A task record.
pub(super) fn task() -> Value {
    let output = json!({
        "type": "object",
        "properties": {
            "url": {"type": "string", "format": "uri"},
            "content_type": {"type": "string"},
            "size": {"type": "integer", "minimum": 0},
            "note": {"type": "string", "description": "In what way the result is less than what was requested."},
        },
        "required": ["url", "content_type", "size"],
    });
    json!({
        "type": "object",
        "properties": {
            "id": {"type": ["string", "integer"]},
            "status": {"type": "string", "examples": ["QUEUED", "RUNNING", "SUCCEEDED", "FAILED", "EXPIRED"]},
            "progress": {"type": "number", "minimum": 0, "maximum": 1},
            "capability": {"type": "string"},
            "model_id": {"type": "string"},
            "title": {"type": ["string", "null"]},
            "credits": {"type": "integer"},
            "created_at": {"type": "string", "format": "date-time"},
            "output_url": {"type": ["string", "null"], "format": "uri"},
            "outputs": {"type": "array", "items": output},
            "emulated": {
                "type": "object",
                "properties": {"notes": {"type": "array", "items": {"type": ["string", "null"]}}},
                "required": ["notes"],
                "description": "The notes of the outputs, in their order.",
            },
            "asset_id": {"type": "string"},
            "error": {"type": "object", "properties": {"message": {"type": "string"}}, "required": ["message"]},
        },
        "required": ["id", "status", "progress"],
    })
}
