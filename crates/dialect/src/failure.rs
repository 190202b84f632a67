//! Errors that a response states without the documented envelope.

use mediagate_core::{Code, Envelope};
use serde_json::Value;

/// The names of members that state success or failure, if they are booleans.
const FLAGS: [&str; 3] = ["success", "ok", "succeeded"];
/// The names of members that hold an error.
const ERRORS: [&str; 4] = ["error", "errors", "err", "exception"];
/// The names of members that hold the message of an error.
const MESSAGES: [&str; 6] = ["message", "msg", "detail", "reason", "description", "title"];
/// The names of members that hold the code of an error.
const CODES: [&str; 4] = ["code", "type", "name", "error"];

/// Returns the error that a response states in the outermost object or its `data`: a flag such as
/// `"success": false`, or a member such as `error` that is not empty. An undocumented code becomes
/// the code of a server error, so the outcome is unknown.
pub(crate) fn stated_failure(body: &Value) -> Option<Envelope<&Value>> {
    let data = member(body, "data").filter(|data| data.is_object());
    [Some(body), data]
        .into_iter()
        .flatten()
        .find_map(failure_of)
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
    let places = [error, Some(object)];
    let places = || places.into_iter().flatten();
    let code = places().find_map(|place| {
        let names = CODES.iter().chain(&MESSAGES);
        let named = names.filter_map(|name| member(place, name));
        [place].into_iter().chain(named).find_map(code_of)
    });
    let words = |value: &&Value| value.as_str().is_some_and(|text| !text.trim().is_empty());
    let message = places().find_map(|place| {
        let named = MESSAGES.iter().filter_map(|name| member(place, name));
        [place].into_iter().chain(named).find(words)
    });
    Some(Envelope {
        code: code.unwrap_or(Code::SERVER_ERROR),
        message,
        data: None,
    })
}

/// Returns the code of an error: a documented number other than 0, or its name.
pub(crate) fn code_of(value: &Value) -> Option<Code> {
    let code = Code::read(&value).or_else(|| Code::named(value.as_str()?))?;
    (code.is_documented() && code != Code::OK).then_some(code)
}

/// Returns a member by its name in any case of letters. The exact name has precedence.
fn member<'a>(object: &'a Value, name: &str) -> Option<&'a Value> {
    object.get(name).or_else(|| {
        let mut members = object.as_object()?.iter();
        let (_, value) = members.find(|(other, _)| other.eq_ignore_ascii_case(name))?;
        Some(value)
    })
}

/// Returns the first item of a list; any other value as it is.
fn first(value: &Value) -> &Value {
    value.get(0).unwrap_or(value)
}

fn has_content(error: &Value) -> bool {
    match error {
        Value::Null => false,
        Value::Bool(is_error) => *is_error,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.trim().is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(members) => !members.is_empty(),
    }
}
