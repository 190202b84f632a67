//! Helpers for the operations.

use crate::parts::Operation;
use mediagate_schema::{self as schema, SEALED_EXAMPLE};
use serde_json::{Map, Value, json};

pub(super) fn operation(
    tag: &'static str,
    id: &str,
    summary: &str,
    description: &str,
    success: Value,
) -> Operation {
    Operation {
        id: id.into(),
        tag,
        summary: summary.into(),
        description: description.into(),
        responses: Map::from_iter([("200".to_owned(), success)]),
        ..Operation::default()
    }
}

pub(super) fn header(name: &str, required: bool, schema: Value, description: &str) -> Value {
    json!({
        "name": name, "in": "header", "required": required,
        "schema": schema, "description": description,
    })
}

/// Returns the header that continues a stream of events.
pub(super) fn last_event_id() -> Value {
    let schema = json!({"type": "string"});
    let description = "The `id` of the last event received.";
    header("Last-Event-ID", false, schema, description)
}

/// Returns the header of a request that has an effect only once.
pub(super) fn idempotency_key(description: &str) -> Value {
    let schema = json!({"type": "string", "pattern": "^[!-~]+$", "minLength": 1, "maxLength": 255});
    header("Idempotency-Key", false, schema, description)
}

pub(super) fn query(name: &str, schema: Value, description: &Value) -> Value {
    json!({
        "name": name, "in": "query", "required": false,
        "schema": schema, "description": description,
    })
}

/// Returns a path parameter with a sealed value, which is an id or a ticket.
pub(super) fn sealed_parameter(name: &str, description: &str) -> Value {
    let schema = schema::sealed_id();
    json!({
        "name": name, "in": "path", "required": true, "schema": schema, "description": description,
        "example": SEALED_EXAMPLE,
    })
}
