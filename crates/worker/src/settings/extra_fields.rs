//! Names of a create's fields that the document does not know.

use std::collections::BTreeMap;

use mediagate_core::{Capability, find};
use serde_json::{Map, Value};

use super::Passage;

/// Which fields that the document does not know are sent on, by the capability's name; `*` is every capability.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExtraFields(BTreeMap<String, Vec<String>>);

const ANY: &str = "*";

impl ExtraFields {
    /// Reads `*`, names that are separated by commas, for every capability, or a JSON object from capabilities to their names.
    ///
    /// # Errors
    /// What is wrong, as the rest of a sentence about the setting.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        if !text.starts_with('{') {
            let names = text
                .split(',')
                .map(|it| it.trim().to_owned())
                .filter(|it| !it.is_empty())
                .collect();
            return checked(ANY.to_owned(), names).map(|it| ExtraFields(BTreeMap::from([it])));
        }
        let entries: Map<String, Value> =
            serde_json::from_str(text).map_err(|it| format!("is no JSON object: {it}"))?;
        entries
            .into_iter()
            .map(|(capability, names)| entry(capability, names))
            .collect::<Result<_, _>>()
            .map(ExtraFields)
    }

    /// Whether a capability's field of this name is sent on, and how.
    pub fn passage(&self, capability: &Capability, name: &str) -> Option<Passage> {
        let lists = || {
            [ANY, capability.name()]
                .into_iter()
                .filter_map(|it| self.0.get(it))
        };
        let lists_name = |wanted: &str| lists().any(|it| it.iter().any(|it| it == wanted));
        if lists_name(name) {
            return Some(Passage::Named);
        }
        Some(Passage::Any).filter(|it| lists_name(ANY) && it.takes(name))
    }

    /// Whether any name passes, for some capability.
    pub fn names_any(&self) -> bool {
        self.0.values().flatten().any(|it| it == ANY)
    }
}

fn entry(capability: String, names: Value) -> Result<(String, Vec<String>), String> {
    if capability != ANY && find(&capability).is_none() {
        return Err(format!(
            "names {capability:?}, which is no capability; give the name of one, or *"
        ));
    }
    let names = match names {
        Value::String(name) => vec![name],
        Value::Array(names) => names
            .into_iter()
            .map(|it| it.as_str().map(str::to_owned))
            .collect::<Option<_>>()
            .ok_or_else(|| format!("has what is no text in the list of {capability}"))?,
        _ => return Err(format!("has no list of names for {capability}")),
    };
    checked(capability, names)
}

/// Names that a field can have.
fn checked(capability: String, names: Vec<String>) -> Result<(String, Vec<String>), String> {
    let is_name = |it: &String| {
        let is_valid = |it: u8| it.is_ascii_alphanumeric() || matches!(it, b'_' | b'-' | b'.');
        it == ANY || !it.is_empty() && it.bytes().all(is_valid)
    };
    match names.iter().find(|it| !is_name(it)) {
        Some(name) => Err(format!("has {name:?}, which is no name of a field")),
        None => Ok((capability, names)),
    }
}
