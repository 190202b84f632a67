//! Errors that a response states without the documented envelope.

use mediagate_core::{Code, Envelope};
use serde_json::Value;

use crate::json::words;
use crate::settings::code_of;

/// The names of members that state success or failure, in snake case.
pub(super) const FLAGS: [&str; 4] = ["success", "ok", "succeeded", "is_success"];
/// The names of members that have an error, or its parts, in snake case.
pub(super) const ERRORS: [&str; 15] = [
    "error",
    "errors",
    "err",
    "exception",
    "error_message",
    "error_msg",
    "error_code",
    "failure",
    "failure_reason",
    "failure_code",
    "fail_reason",
    "fail_code",
    "fail_msg",
    "failed_reason",
    "failed",
];
/// Texts that say that there is no error.
const NO_ERRORS: [&str; 5] = ["ok", "success", "none", "0", "false"];
const MESSAGES: [&str; 6] = ["message", "msg", "detail", "reason", "description", "title"];
const CODES: [&str; 4] = ["code", "type", "name", "error"];

/// Returns the error that the outermost object or its `data` states: a flag such as
/// `"success": false`, or a member such as `error` that is not empty. An undocumented code becomes
/// the code of a server error, so the outcome is unknown.
pub(super) fn stated_failure(body: &Value) -> Option<Envelope<&Value>> {
    failure_of(body).or_else(|| failure_of(member(body, "data")?))
}

fn failure_of(object: &Value) -> Option<Envelope<&Value>> {
    let error = ERRORS
        .iter()
        .filter_map(|name| member(object, name))
        .map(first)
        .find(|error| has_content(error));
    let is_refused = FLAGS
        .iter()
        .any(|name| member(object, name) == Some(&Value::Bool(false)));
    if error.is_none() && !is_refused {
        return None;
    }
    // The error itself is more precise than the object around it.
    let places: Vec<&Value> = error.into_iter().chain([object]).collect();
    let code = places.iter().copied().find_map(stated_code);
    Some(Envelope {
        code: code.unwrap_or(Code::SERVER_ERROR),
        message: places.into_iter().find_map(stated_message),
        data: None,
    })
}

fn stated_code(place: &Value) -> Option<Code> {
    let names = CODES.iter().chain(&MESSAGES);
    let named = names.filter_map(|name| member(place, name));
    [place].into_iter().chain(named).find_map(code_of)
}

fn stated_message(place: &Value) -> Option<&Value> {
    let named = MESSAGES.iter().filter_map(|name| member(place, name));
    let mut values = [place].into_iter().chain(named);
    values.find(|value| words(value).is_some())
}

/// Returns a member by its name in any case of letters. The exact name has precedence.
pub(super) fn member<'a>(object: &'a Value, name: &str) -> Option<&'a Value> {
    if let Some(value) = object.get(name) {
        return Some(value);
    }
    let mut members = object.as_object()?.iter();
    let (_, value) = members.find(|(other, _)| other.eq_ignore_ascii_case(name))?;
    Some(value)
}

/// Returns the first item of a list; any other value as it is.
fn first(value: &Value) -> &Value {
    value.get(0).unwrap_or(value)
}

/// Returns true if an error says something: `null`, 0, `false`, blank texts, words such as `none`,
/// and lists or objects of such values say nothing.
pub(super) fn has_content(error: &Value) -> bool {
    match error {
        Value::Null => false,
        Value::Bool(is_error) => *is_error,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => {
            let text = text.trim().to_ascii_lowercase();
            !text.is_empty() && !NO_ERRORS.contains(&text.as_str())
        }
        Value::Array(items) => items.iter().any(has_content),
        Value::Object(members) => members.values().any(has_content),
    }
}
