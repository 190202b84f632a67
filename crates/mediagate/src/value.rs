//! The values of a program and of a page in Rust: JSON, in which a file may replace a file id.

use std::collections::BTreeMap;
use std::sync::Arc;

use mediagate_client::HostValue;
use mediagate_core::{Type, Value as CoreValue};
use serde_json::{Number, Value as Json};

use crate::file::File;

/// A value. A clone shares its parts.
#[derive(Clone)]
pub enum Value {
    /// `null`.
    Null,
    /// `true` or `false`.
    Boolean(bool),
    /// A number.
    Number(Number),
    /// A string.
    Text(Arc<str>),
    /// A list.
    List(Arc<[Value]>),
    /// An object.
    Object(Arc<BTreeMap<String, Value>>),
    /// A file that is not uploaded yet.
    File(File),
}

impl From<Json> for Value {
    fn from(json: Json) -> Self {
        match json {
            Json::Null => Value::Null,
            Json::Bool(boolean) => Value::Boolean(boolean),
            Json::Number(number) => Value::Number(number),
            Json::String(text) => Value::Text(text.into()),
            Json::Array(items) => Value::List(items.into_iter().map(Value::from).collect()),
            Json::Object(members) => Value::Object(Arc::new(
                members
                    .into_iter()
                    .map(|(name, value)| (name, value.into()))
                    .collect(),
            )),
        }
    }
}

/// A file becomes `null`.
impl From<&Value> for Json {
    fn from(value: &Value) -> Self {
        match value {
            Value::Null | Value::File(_) => Json::Null,
            Value::Boolean(boolean) => Json::Bool(*boolean),
            Value::Number(number) => Json::Number(number.clone()),
            Value::Text(text) => Json::String(text.to_string()),
            Value::List(items) => items.iter().map(Json::from).collect(),
            Value::Object(members) => members
                .iter()
                .map(|(name, value)| (name.clone(), Json::from(value)))
                .collect(),
        }
    }
}

impl CoreValue for Value {
    type Str = Arc<str>;
    type Text = String;

    const TAKES_FILES: bool = true;

    fn kind(&self) -> Type {
        match self {
            Value::Null => Type::Null,
            Value::Boolean(_) => Type::Boolean,
            Value::Number(_) => Type::Number,
            Value::Text(_) => Type::Text,
            Value::List(_) => Type::List,
            Value::Object(_) => Type::Object,
            Value::File(_) => Type::Blob,
        }
    }

    fn text(&self) -> Option<Arc<str>> {
        match self {
            Value::Text(text) => Some(text.clone()),
            _ => None,
        }
    }

    fn number(&self) -> Option<f64> {
        match self {
            Value::Number(number) => number.as_f64().filter(|number| number.is_finite()),
            _ => None,
        }
    }

    fn get(&self, name: &str) -> Option<Self> {
        match self {
            Value::Object(members) => members.get(name).cloned(),
            Value::File(file) => match name {
                "type" => Some(Value::from_text(file.media_type())),
                "size" => Some(Value::Number(file.size().into())),
                _ => None,
            },
            _ => None,
        }
    }

    fn length(&self) -> usize {
        match self {
            Value::List(items) => items.len(),
            _ => 0,
        }
    }

    fn item(&self, index: usize) -> Option<Self> {
        match self {
            Value::List(items) => items.get(index).cloned(),
            _ => None,
        }
    }

    fn keys(&self) -> impl Iterator<Item = Arc<str>> + use<> {
        let names: Vec<Arc<str>> = match self {
            Value::Object(members) => members.keys().map(|name| name.as_str().into()).collect(),
            _ => Vec::new(),
        };
        names.into_iter()
    }

    fn identifier(&self) -> Option<String> {
        match self {
            Value::Text(text) if !text.trim().is_empty() => Some(text.to_string()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        }
    }
}

impl HostValue for Value {
    fn from_text(text: &str) -> Self {
        Value::Text(text.into())
    }

    /// Makes a number. A whole number has no fraction in JSON. A number that JSON cannot express
    /// becomes `null`.
    fn from_number(number: f64) -> Self {
        // Up to here, a float is exact.
        const MAX_WHOLE: u64 = 1 << 53;
        let whole = number as i64;
        if whole as f64 == number && whole.unsigned_abs() <= MAX_WHOLE {
            return Value::Number(whole.into());
        }
        Number::from_f64(number).map_or(Value::Null, Value::Number)
    }

    fn from_items(items: Vec<Self>) -> Self {
        Value::List(items.into())
    }

    fn from_members(members: Vec<(&str, Self)>) -> Self {
        let members = members
            .into_iter()
            .map(|(name, value)| (name.into(), value));
        Value::Object(Arc::new(members.collect()))
    }

    fn with(&self, name: &str, value: Self) -> Self {
        // Clones share their members, so a change copies them first.
        let mut members = self.members();
        Arc::make_mut(&mut members).insert(name.into(), value);
        Value::Object(members)
    }

    fn without(&self, name: &str) -> Self {
        let mut members = self.members();
        Arc::make_mut(&mut members).remove(name);
        Value::Object(members)
    }

    fn to_json(&self) -> String {
        Json::from(self).to_string()
    }

    fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Value::Null, Value::Null) => true,
            (Value::Boolean(one), Value::Boolean(other)) => one == other,
            (Value::Number(one), Value::Number(other)) => one == other,
            (Value::Text(one), Value::Text(other)) => one == other,
            (Value::File(one), Value::File(other)) => one.is_same(other),
            _ => false,
        }
    }
}

impl Value {
    fn members(&self) -> Arc<BTreeMap<String, Value>> {
        match self {
            Value::Object(members) => members.clone(),
            _ => Arc::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn json_stays_as_it_is() {
        let json = json!({ "a": [1, -2.5, 12345678901234567890_u64, "é", null, true, {}], "b": { "c": [] } });
        assert_eq!(Json::from(&Value::from(json.clone())), json);
    }

    #[test]
    fn whole_numbers_have_no_fraction() {
        let written = |number: f64| Value::from_number(number).to_json();
        assert_eq!(written(3.0), "3");
        assert_eq!(written(0.25), "0.25");
        assert_eq!(written(1e300), "1e+300");
        assert_eq!(written(f64::NAN), "null");
    }
}
