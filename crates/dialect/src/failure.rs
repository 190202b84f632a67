//! Errors that a response states by itself, without the documented envelope.

use mediagate_core::{Code, Envelope};
use serde_json::Value;

/// Members that state success or failure, if they are booleans.
const FLAGS: [&str; 3] = ["success", "ok", "succeeded"];
/// Members that have an error.
const ERRORS: [&str; 4] = ["error", "errors", "err", "exception"];
/// Members with the words of an error.
const MESSAGES: [&str; 6] = ["message", "msg", "detail", "reason", "description", "title"];
/// Members with the code of an error.
const CODES: [&str; 4] = ["code", "type", "name", "error"];

/// Returns the error that a response states: a flag such as `"success": false`, or a member such as `error` with something in
/// it, in the outermost object or its `data`. A code that is not documented is that of a server error, whose outcome is
/// unknown.
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

/// Returns the code of an error: a documented number other than 0, or the name of one.
pub(crate) fn code_of(value: &Value) -> Option<Code> {
    let code = Code::read(&value).or_else(|| Code::named(value.as_str()?))?;
    (code.is_documented() && code != Code::OK).then_some(code)
}

/// Returns a member by its name in any case of letters. The exact name counts first.
fn member<'a>(object: &'a Value, name: &str) -> Option<&'a Value> {
    object.get(name).or_else(|| {
        let mut members = object.as_object()?.iter();
        Some(
            members
                .find(|(other, _)| other.eq_ignore_ascii_case(name))?
                .1,
        )
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
