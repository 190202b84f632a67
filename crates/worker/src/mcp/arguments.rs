use mediagate_access::refusal::Refusal;
use mediagate_core::{Field, Reason, is_valid, validate_fields};
use serde_json::Value;

use super::tool_schemas::{KEY, WAIT_SECONDS};
use crate::operations::RequestContext;

pub(super) fn check(fields: &'static [Field], arguments: &Value) -> Result<(), Refusal> {
    let issues = validate_fields(fields, arguments);
    if is_valid(&issues) {
        Ok(())
    } else {
        Err(Refusal::issues(&issues))
    }
}

/// Takes the idempotency key out of the arguments. The other arguments are the request.
pub(super) fn take_key(arguments: &mut Value) -> Result<Option<String>, Refusal> {
    match arguments.as_object_mut().and_then(|all| all.remove(KEY)) {
        None => Ok(None),
        Some(Value::String(key)) => Ok(Some(key)),
        Some(_) => {
            let message = format!("{KEY} is not a string; give a string, or omit it");
            Err(Refusal::new(Reason::IdempotencyKey, message))
        }
    }
}

/// Returns the seconds that a call waits for an end, within the operator's limit.
pub(super) fn wait_seconds(
    context: &RequestContext<'_>,
    arguments: &Value,
) -> Result<u32, Refusal> {
    let wait = arguments[WAIT_SECONDS].as_f64().unwrap_or_default();
    if wait < 0.0 {
        let message = "wait_seconds is negative; give 0 or more";
        return Err(Refusal::new(Reason::InvalidFields, message));
    }
    // The conversion saturates, so a large number is the limit.
    Ok((wait as u32).min(context.settings().mcp.wait_seconds))
}
