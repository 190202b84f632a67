//! A request's body with placeholders.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::error::{DialectError, joined};

/// A request's body, as JSON with placeholders such as `{file_name}`. A string that is a placeholder becomes its value,
/// with the value's type; within a longer string it becomes text. A member whose placeholder has no value is left out, and
/// one named `...` becomes the members of its value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Template(Value);

/// The name of a member whose value's own members take its place.
const SPREAD: &str = "...";

/// A value for a placeholder.
type Lookup<'a> = &'a dyn Fn(&str) -> Option<Value>;

impl Template {
    pub(super) const fn new(value: Value) -> Self {
        Template(value)
    }

    /// The body with the values in place.
    pub(super) fn fill(&self, value: Lookup<'_>) -> Value {
        fill(&self.0, value).unwrap_or_default()
    }

    /// Every placeholder is one of these.
    pub(super) fn check(&self, part: &str, known: &[&str]) -> Result<(), DialectError> {
        check(&self.0, part, known)
    }
}

fn fill(template: &Value, value: Lookup<'_>) -> Option<Value> {
    match template {
        Value::String(text) => string(text, value),
        Value::Array(items) => Some(items.iter().filter_map(|it| fill(it, value)).collect()),
        Value::Object(members) => {
            let mut filled = Map::new();
            for (name, it) in members {
                match fill(it, value) {
                    Some(Value::Object(inner)) if name == SPREAD => filled.extend(inner),
                    Some(it) => drop(filled.insert(name.clone(), it)),
                    None => {}
                }
            }
            Some(Value::Object(filled))
        }
        other => Some(other.clone()),
    }
}

fn string(text: &str, value: Lookup<'_>) -> Option<Value> {
    if let Some(name) = text
        .strip_prefix('{')
        .and_then(|it| it.strip_suffix('}'))
        .filter(|it| is_name(it))
    {
        return value(name);
    }
    let mut filled = String::new();
    let mut rest = text;
    while let Some((before, name, after)) = next(rest) {
        filled.push_str(before);
        match value(name)? {
            Value::String(it) => filled.push_str(&it),
            it => filled.push_str(&it.to_string()),
        }
        rest = after;
    }
    filled.push_str(rest);
    Some(Value::String(filled))
}

/// The text before the first placeholder, its name, and the text after it.
fn next(text: &str) -> Option<(&str, &str, &str)> {
    let mut from = 0;
    while let Some(start) = text.get(from..)?.find('{').map(|it| it + from) {
        let inner = text.get(start + 1..)?;
        if let Some((name, after)) = inner.split_once('}').filter(|it| is_name(it.0)) {
            return Some((text.get(..start)?, name, after));
        }
        from = start + 1;
    }
    None
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|it| it.is_ascii_lowercase() || it == b'_')
}

fn check(template: &Value, part: &str, known: &[&str]) -> Result<(), DialectError> {
    match template {
        Value::String(text) => {
            let mut rest = text.as_str();
            while let Some((_, name, after)) = next(rest) {
                if !known.contains(&name) {
                    let problem = format!(
                        "{{{name}}} is no placeholder; there are {{{}}}",
                        known.join("}, {")
                    );
                    return Err(DialectError::new(part, &problem));
                }
                rest = after;
            }
            Ok(())
        }
        Value::Array(items) => items.iter().try_for_each(|it| check(it, part, known)),
        Value::Object(members) => members
            .iter()
            .try_for_each(|(name, it)| check(it, &joined(part, &name.to_owned()), known)),
        _ => Ok(()),
    }
}
