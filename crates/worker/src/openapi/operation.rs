//! What every operation is built from.

use mediagate_core::Code;
use mediagate_core::openapi::Operation;
use serde_json::Value;

use super::parts::Parts;
use super::refusals::Part;

pub(super) const JSON: &str = "application/json";

/// An operation with its id and texts; the rest is filled in later.
pub(super) fn operation(tag: &'static str, id: &str, summary: &str, description: &str) -> Operation {
    Operation { id: id.into(), tag, summary: summary.into(), description: description.into(), ..Operation::default() }
}

/// Adds the responses: a success, and the refusals of these parts and of these codes of the upstream.
pub(super) fn with_responses(
    parts: &mut Parts,
    mut operation: Operation,
    success: Value,
    of: &[Part],
    codes: &[Code],
) -> Operation {
    operation.responses = parts.refusals(&operation.id, of, codes);
    operation.responses.insert("200".into(), success);
    operation
}
