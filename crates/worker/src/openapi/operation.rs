//! Helpers that every operation is built with.

use mediagate_core::Code;
use mediagate_schema::openapi::Operation;
use mediagate_schema::{self as schema, SEALED_EXAMPLE};
use serde_json::{Value, json};

use super::builder::Builder;
use mediagate_core::Part;

pub(super) const JSON: &str = "application/json";

/// An operation with its tag, id and texts, and nothing else yet.
pub(super) fn operation(
    tag: &'static str,
    id: &str,
    summary: &str,
    description: &str,
) -> Operation {
    Operation {
        id: id.into(),
        tag,
        summary: summary.into(),
        description: description.into(),
        ..Operation::default()
    }
}

/// Adds the responses: a success, and the error responses of these parts and of these codes of the upstream.
pub(super) fn with_responses(
    builder: &mut Builder,
    mut operation: Operation,
    success: Value,
    parts: &[Part],
    codes: &[Code],
) -> Operation {
    operation.responses = builder.refusals(&operation.id, parts, codes);
    operation.responses.insert("200".into(), success);
    operation
}

/// Every code: for operations for which the upstream's document lists none.
pub(super) fn all_codes() -> Vec<Code> {
    Code::ALL.iter().map(|it| it.0).collect()
}

/// An example of a successful response.
pub(super) fn envelope(data: &Value) -> Value {
    json!({"code": 0, "message": "ok", "data": data})
}

/// A header parameter.
pub(super) fn header(name: &str, required: bool, schema: Value, description: &str) -> Value {
    json!({"name": name, "in": "header", "required": required, "schema": schema, "description": description})
}

/// A path parameter with a sealed value: an id or a ticket.
pub(super) fn sealed_parameter(name: &str, description: &str) -> Value {
    let schema = schema::sealed_id();
    json!({
        "name": name, "in": "path", "required": true, "schema": schema, "description": description,
        "example": SEALED_EXAMPLE,
    })
}
