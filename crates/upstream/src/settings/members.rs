//! The body of a request, with flat members.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::error::{DialectError, joined};

/// The members of a request's body by their names. A text that is a placeholder, such as
/// `{file_name}`, becomes its value, with the value's type. A member whose placeholder has no value
/// is left out. The name `...` stands for the members of its value. Any other text, number or
/// boolean is sent unchanged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Members(BTreeMap<String, Value>);

/// The name of a member that is replaced by the members of its value.
const SPREAD: &str = "...";

impl Members {
    pub(super) fn of(members: &[(&str, &str)]) -> Self {
        let members = members
            .iter()
            .map(|(name, value)| ((*name).to_owned(), Value::from(*value)));
        Members(members.collect())
    }

    /// Returns the body with the placeholders filled in. `value` returns the value of a
    /// placeholder.
    pub(super) fn fill(&self, value: impl Fn(&str) -> Option<Value>) -> Value {
        let mut body = Map::new();
        for (name, member) in &self.0 {
            let filled = match placeholder(member) {
                Some(placeholder) => value(placeholder),
                None => Some(member.clone()),
            };
            match filled {
                Some(Value::Object(inner)) if name == SPREAD => body.extend(inner),
                Some(filled) => drop(body.insert(name.clone(), filled)),
                None => {}
            }
        }
        Value::Object(body)
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.0
            .values()
            .any(|member| placeholder(member) == Some(name))
    }

    /// Checks that every member is flat, and that every placeholder is known. `part` is the name of
    /// the members in an error.
    pub(super) fn check(&self, part: &str, known: &[&str]) -> Result<(), DialectError> {
        for (name, member) in &self.0 {
            let part = joined(part, name);
            if member.is_object() || member.is_array() {
                let problem = "is no text, number or boolean; for a body with nested members, put a \
                    Worker of your own between the gateway and the service";
                return Err(DialectError::new(&part, problem));
            }
            let is_known = placeholder(member).is_none_or(|name| known.contains(&name));
            if !is_known {
                let problem = format!(
                    "{} is no placeholder; there are {{{}}}",
                    member.as_str().unwrap_or_default(),
                    known.join("}, {")
                );
                return Err(DialectError::new(&part, &problem));
            }
        }
        Ok(())
    }
}

fn placeholder(member: &Value) -> Option<&str> {
    let name = member.as_str()?.strip_prefix('{')?.strip_suffix('}')?;
    let is_name = !name.is_empty()
        && name
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte == b'_');
    is_name.then_some(name)
}
