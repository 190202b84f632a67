//! Fields of creates that the document does not list.

use std::collections::BTreeMap;

use mediagate_core::{Capability, find};
use serde_json::{Map, Value};

use super::FieldRule;

/// The names of the fields that are sent on although the document does not list them. The keys are
/// names of capabilities, or `*` for every capability.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExtraFields(BTreeMap<String, Vec<String>>);

const ANY: &str = "*";

impl ExtraFields {
    /// Reads `*`, or names that are separated by commas, for every capability. Also reads a JSON
    /// object from capabilities to their names.
    ///
    /// # Errors
    /// The problem, as the rest of a sentence about the setting.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        if !text.starts_with('{') {
            let names = text
                .split(',')
                .map(|name| name.trim().to_owned())
                .filter(|name| !name.is_empty())
                .collect();
            let entry = checked(ANY.to_owned(), names)?;
            return Ok(ExtraFields(BTreeMap::from([entry])));
        }
        let entries: Map<String, Value> =
            serde_json::from_str(text).map_err(|error| format!("is not a JSON object: {error}"))?;
        entries
            .into_iter()
            .map(|(capability, names)| entry(capability, names))
            .collect::<Result<_, _>>()
            .map(ExtraFields)
    }

    /// Returns how a capability's field with this name is sent on, or `None` if it is refused.
    pub fn field_rule(&self, capability: &Capability, name: &str) -> Option<FieldRule> {
        let has = |wanted: &str| {
            [ANY, capability.name()].iter().any(|key| {
                let names = self.0.get(*key);
                names.is_some_and(|names| names.iter().any(|listed| listed == wanted))
            })
        };
        if has(name) {
            return Some(FieldRule::Named);
        }
        (has(ANY) && FieldRule::Any.takes(name)).then_some(FieldRule::Any)
    }

    /// Returns true if some capability takes fields with any name.
    pub fn names_any(&self) -> bool {
        self.0.values().flatten().any(|name| name == ANY)
    }
}

fn entry(capability: String, names: Value) -> Result<(String, Vec<String>), String> {
    if capability != ANY && find(&capability).is_none() {
        return Err(format!(
            "names {capability:?}, which is not a capability; give the name of one, or *"
        ));
    }
    let names = match names {
        Value::String(name) => vec![name],
        Value::Array(names) => names
            .into_iter()
            .map(|name| name.as_str().map(str::to_owned))
            .collect::<Option<_>>()
            .ok_or_else(|| format!("has a name that is not text in the list of {capability}"))?,
        _ => {
            return Err(format!(
                "has no list of names for {capability}; give [\"name\"]"
            ));
        }
    };
    checked(capability, names)
}

fn checked(capability: String, names: Vec<String>) -> Result<(String, Vec<String>), String> {
    let is_name = |name: &String| {
        let is_valid =
            |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
        name == ANY || !name.is_empty() && name.bytes().all(is_valid)
    };
    match names.iter().find(|name| !is_name(name)) {
        Some(name) => Err(format!(
            "has {name:?}, which is not the name of a field; use letters, digits, _, - and ."
        )),
        None => Ok((capability, names)),
    }
}
