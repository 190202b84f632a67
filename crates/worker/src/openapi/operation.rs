//! Helpers for the operations.

use mediagate_core::Code;
use mediagate_schema::openapi::Operation;
use mediagate_schema::{self as schema, SEALED_EXAMPLE};
use serde_json::{Value, json};

use super::builder::Builder;
use mediagate_core::Part;

/// Returns an operation with its tag, id and texts.
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

/// Adds the responses: a success, and the error responses of these parts and for these codes of the
/// upstream.
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

/// Returns every code, for operations without a list of codes in the upstream document.
pub(super) fn all_codes() -> Vec<Code> {
    Code::ALL.iter().map(|entry| entry.0).collect()
}

/// Returns a header parameter.
pub(super) fn header(name: &str, required: bool, schema: Value, description: &str) -> Value {
    json!({
        "name": name, "in": "header", "required": required,
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
