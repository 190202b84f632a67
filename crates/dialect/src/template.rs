//! A request's body with placeholders.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::error::{DialectError, joined};

/// A request's body, as JSON with placeholders such as `{file_name}`.
///
/// A string that is a placeholder becomes its value, with the value's type. In a longer string, a
/// placeholder becomes text. A member whose placeholder has no value is left out. A member named
/// `...` becomes the members of its value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Template(Value);

/// The name of a member that is replaced by the members of its value.
const SPREAD: &str = "...";

/// A function that returns the value of a placeholder.
type Lookup<'a> = &'a dyn Fn(&str) -> Option<Value>;

impl Template {
    pub(super) const fn new(value: Value) -> Self {
        Template(value)
    }

    /// Returns the body with the values of the placeholders.
    pub(super) fn fill(&self, value: Lookup<'_>) -> Value {
        // A template that is only a placeholder without a value becomes `null`.
        fill(&self.0, value).unwrap_or_default()
    }

    /// Checks that every placeholder is known. `part` is the name of the template in an error.
    pub(super) fn check(&self, part: &str, known: &[&str]) -> Result<(), DialectError> {
        check(&self.0, part, known)
    }
}

fn fill(template: &Value, value: Lookup<'_>) -> Option<Value> {
    match template {
        Value::String(text) => string(text, value),
        Value::Array(items) => Some(items.iter().filter_map(|item| fill(item, value)).collect()),
        Value::Object(members) => {
            let mut filled = Map::new();
            for (name, member) in members {
                match fill(member, value) {
                    Some(Value::Object(inner)) if name == SPREAD => filled.extend(inner),
                    Some(member) => drop(filled.insert(name.clone(), member)),
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
        .and_then(|inner| inner.strip_suffix('}'))
        .filter(|name| is_name(name))
    {
        return value(name);
    }
    let mut filled = String::new();
    let mut rest = text;
    while let Some((before, name, after)) = next(rest) {
        filled.push_str(before);
        match value(name)? {
            Value::String(replacement) => filled.push_str(&replacement),
            other => filled.push_str(&other.to_string()),
        }
        rest = after;
    }
    filled.push_str(rest);
    Some(Value::String(filled))
}

/// Returns the text before the first placeholder, the placeholder's name, and the text after it.
fn next(text: &str) -> Option<(&str, &str, &str)> {
    let mut from = 0;
    while let Some(start) = text.get(from..)?.find('{').map(|index| index + from) {
        let inner = text.get(start + 1..)?;
        if let Some((name, after)) = inner.split_once('}').filter(|(name, _)| is_name(name)) {
            return Some((text.get(..start)?, name, after));
        }
        // A brace that is not a placeholder stays text.
        from = start + 1;
    }
    None
}

fn is_name(text: &str) -> bool {
    !text.is_empty()
        && text
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte == b'_')
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
        Value::Array(items) => items.iter().try_for_each(|item| check(item, part, known)),
        Value::Object(members) => members
            .iter()
            .try_for_each(|(name, member)| check(member, &joined(part, &name.to_owned()), known)),
        _ => Ok(()),
    }
}
