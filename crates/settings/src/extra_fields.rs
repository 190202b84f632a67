use std::collections::BTreeMap;

use mediagate_core::{Capability, find};
use serde_json::{Map, Value};

use super::FieldRule;

/// The names of fields that are sent on although the document does not list them. The keys are
/// names of capabilities, or `*` for every capability.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExtraFields(BTreeMap<String, Vec<String>>);

const ANY: &str = "*";

impl ExtraFields {
    /// Reads `*`, or names that are separated by commas, for every capability. Also reads a JSON
    /// object from capabilities to their names. The error is the rest of a sentence about the
    /// setting.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        if !text.starts_with('{') {
            let mut names: Vec<String> = text.split(',').map(|name| name.trim().into()).collect();
            names.retain(|name| !name.is_empty());
            let entry = checked(ANY.to_owned(), names)?;
            return Ok(ExtraFields(BTreeMap::from([entry])));
        }
        let entries: Map<String, Value> =
            serde_json::from_str(text).map_err(|error| format!("is not a JSON object: {error}"))?;
        let mut fields = BTreeMap::new();
        for (capability, names) in entries {
            let (capability, names) = entry(capability, names)?;
            fields.insert(capability, names);
        }
        Ok(ExtraFields(fields))
    }

    /// Returns how a field is sent on, or `None` if it is refused.
    pub fn field_rule(&self, capability: &Capability, name: &str) -> Option<FieldRule> {
        if self.lists(capability, name) {
            return Some(FieldRule::Named);
        }
        let is_any = self.lists(capability, ANY) && FieldRule::Any.takes(name);
        is_any.then_some(FieldRule::Any)
    }

    fn lists(&self, capability: &Capability, name: &str) -> bool {
        let names = [ANY, capability.name()].map(|key| self.0.get(key));
        names
            .into_iter()
            .flatten()
            .flatten()
            .any(|listed| listed == name)
    }

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
    for name in &names {
        if !is_name(name) {
            return Err(format!(
                "has {name:?}, which is not the name of a field; use letters, digits, _, - and ."
            ));
        }
    }
    Ok((capability, names))
}

fn is_name(name: &str) -> bool {
    let is_plain = name
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'));
    name == ANY || !name.is_empty() && is_plain
}
