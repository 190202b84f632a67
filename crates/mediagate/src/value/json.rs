//! Values from JSON, and JSON from values.

use std::rc::Rc;

use serde_json::{Map, Value as Json};

use super::Value;

/// The value of a JSON value.
pub(crate) fn from_json(json: Json) -> Value {
    match json {
        Json::Null => Value::Null,
        Json::Bool(it) => Value::Boolean(it),
        Json::Number(it) => Value::Number(it),
        Json::String(it) => Value::text(&it),
        Json::Array(items) => Value::list(items.into_iter().map(from_json).collect()),
        Json::Object(members) => {
            let members = members
                .into_iter()
                .map(|(name, value)| (Rc::from(name), from_json(value)));
            Value::Object(Rc::new(members.collect()))
        }
    }
}

/// The JSON of a value; `null` for a file, a function and an error.
pub(crate) fn to_json(value: &Value) -> Json {
    match value {
        Value::Boolean(it) => Json::Bool(*it),
        Value::Number(it) => Json::Number(it.clone()),
        Value::Text(it) => Json::String(it.to_string()),
        Value::List(items) => Json::Array(items.borrow().iter().map(to_json).collect()),
        Value::Object(members) => {
            let members = members
                .iter()
                .map(|(name, value)| (name.to_string(), to_json(value)));
            Json::Object(members.collect::<Map<_, _>>())
        }
        Value::Null
        | Value::File(_)
        | Value::TokenSource(_)
        | Value::Progress(_)
        | Value::Cause(_) => Json::Null,
    }
}
