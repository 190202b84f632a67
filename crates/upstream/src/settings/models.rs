//! The shape of the model catalogue (§2). The document shows only the names `model_id` and
//! `generation_options`.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::pointers::Pointers;
use crate::json::words;
use mediagate_core::ids::snake;
use mediagate_core::models::{Catalogue, Model, Values};
use mediagate_core::text::after_last;
use mediagate_core::{Capability, FileKind, find};

/// The places of the models in a response, and of a model's parts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ModelsDialect {
    /// The places of the list of models, or of an object with the models by id, from the outermost
    /// object.
    pub list: Pointers,
    /// The places of a model's id, in the model. Empty if its key is the id.
    pub id: Pointers,
    /// The places of the model's capability, in the model: a name, or a path.
    pub capability: Pointers,
    /// The places of the `generation_options`, in the model: lists of values by field.
    pub options: Pointers,
    /// The places of the accepted kinds of references, in the model: a list of `image`, `video` and
    /// `audio`.
    pub references: Pointers,
}

impl Default for ModelsDialect {
    fn default() -> Self {
        ModelsDialect {
            list: Pointers::of(&[
                "/data/models",
                "/data/items",
                "/data/list",
                "/data/data",
                "/data",
                "/models",
                "/items",
                "/list",
                "",
            ]),
            id: Pointers::of(&["/model_id", "/id", "/name"]),
            capability: Pointers::of(&["/capability", "/endpoint", "/path", "/task_type", "/type"]),
            options: Pointers::of(&["/generation_options", "/options"]),
            references: Pointers::of(&[
                "/references/media",
                "/references",
                "/generation_options/references",
                "/reference_types",
                "/supported_references",
            ]),
        }
    }
}

/// The names of members that show that a list continues, without separators.
const MORE: [&str; 5] = ["hasmore", "hasnext", "next", "nextcursor", "nextpagetoken"];
/// The names of the number of all entries, without separators.
const TOTALS: [&str; 3] = ["total", "totalcount", "count"];
/// The names of the number of pages, without separators.
const PAGES: [&str; 3] = ["totalpages", "pages", "pagecount"];
/// The names of objects beside a list that may have such members.
const PAGING: [&str; 6] = ["data", "pagination", "paging", "pageinfo", "meta", "links"];
/// The names of the list of values, in an object that describes a field.
const VALUES: [&str; 6] = [
    "values",
    "options",
    "enum",
    "allowed",
    "allowed_values",
    "choices",
];
/// The names of members that hold a value, or the name of a field, in an object.
const NAMES: [&str; 5] = ["value", "id", "name", "field", "key"];

impl ModelsDialect {
    /// Reads the catalogue of a response. Returns `None` if there are no models in a known shape.
    pub fn read(&self, response: &Value) -> Option<Catalogue> {
        self.list.find(&[response], |list| {
            let entries = entries(list)?;
            let models: Vec<Model> = entries
                .iter()
                .filter_map(|(key, record)| self.model(*key, record))
                .collect();
            // Only a catalogue without doubt may exclude the id of an unknown model.
            let is_complete = models.len() == entries.len()
                && entries
                    .iter()
                    .all(|(key, entry)| has_own_id(entry) || self.has_key_as_id(*key, entry))
                && !has_more_models(response, models.len());
            (!models.is_empty()).then_some(Catalogue {
                models,
                is_complete,
            })
        })
    }

    /// Returns true if an entry of an object is certainly a model whose key is its id: it has
    /// options, and no id of its own.
    fn has_key_as_id(&self, key: Option<&str>, entry: &Value) -> bool {
        key.is_some()
            && self.options.find(&[entry], Some).is_some()
            && self.id.find(&[entry], words).is_none()
    }

    fn model(&self, key: Option<&str>, record: &Value) -> Option<Model> {
        let by_id = || self.id.find(&[record], words);
        let options = self.options.find(&[record], |value| {
            if value.is_object() {
                Some(options(value))
            } else {
                listed(value)
            }
        });
        // A key is an id only if its record has options, or if the dialect has no place for ids.
        // Otherwise any object of objects would be a catalogue.
        let is_id = options.is_some() || self.id.iter().next().is_none();
        let by_key = || key.filter(|_| is_id).map(str::to_string);
        let id = record
            .as_str()
            .map(str::to_string)
            .or_else(by_id)
            .or_else(by_key)?;
        let references = self.references.find(&[record], media);
        let capability = self
            .capability
            .find(&[record], |value| capability_named(value.as_str()?));
        let record = Some(record).filter(|record| record.is_object());
        Some(Model {
            id,
            capability,
            options: options.unwrap_or_default(),
            references,
            record: record.cloned().unwrap_or_default(),
        })
    }
}

/// Returns the name of the capability with this name, which may be in camel case, or at this path.
fn capability_named(text: &str) -> Option<&'static str> {
    find(&snake(after_last(text, b'/').unwrap_or(text))).map(Capability::name)
}

/// Returns true if an entry is certainly a model: it has the document's own name for the id, and no
/// list of further models.
fn has_own_id(entry: &Value) -> bool {
    let has_id = ["model_id"]
        .iter()
        .any(|name| entry.get(*name).is_some_and(Value::is_string));
    let is_list = |member: &Value| {
        member
            .as_array()
            .is_some_and(|items| items.iter().any(|item| item.get("model_id").is_some()))
    };
    has_id
        && !entry
            .as_object()
            .is_some_and(|members| members.values().any(is_list))
}

/// Returns the entries of a list, or of an object that has only objects, with their keys.
fn entries(value: &Value) -> Option<Vec<(Option<&str>, &Value)>> {
    match value {
        Value::Array(items) => Some(items.iter().map(|item| (None, item)).collect()),
        Value::Object(members) if members.values().all(Value::is_object) => Some(
            members
                .iter()
                .map(|(name, record)| (Some(name.as_str()), record))
                .collect(),
        ),
        _ => None,
    }
}

/// Returns true if the response, or an object beside the list, states that there are more models.
fn has_more_models(response: &Value, count: usize) -> bool {
    let Some(members) = response.as_object() else {
        return false;
    };
    members.iter().any(|(name, value)| {
        // `next_cursor`, `nextCursor` and `next-cursor` are one name.
        let name: String = name
            .chars()
            .filter(char::is_ascii_alphanumeric)
            .collect::<String>()
            .to_ascii_lowercase();
        let number = || {
            value
                .as_f64()
                .or_else(|| value.as_str()?.trim().parse().ok())
        };
        let is_set =
            !matches!(value, Value::Null | Value::Bool(false)) && *value != "" && *value != 0;
        MORE.iter().any(|prefix| name.starts_with(prefix)) && is_set
            || TOTALS.contains(&name.as_str()) && number().is_some_and(|total| total > count as f64)
            || PAGES.contains(&name.as_str()) && number().is_some_and(|pages| pages > 1.0)
            || PAGING.contains(&name.as_str()) && has_more_models(value, count)
    })
}

/// Returns values by field from an object, such as `{"clarity": ["720P"]}` or
/// `{"clarity": {"values": ["720P"]}}`.
fn options(value: &Value) -> Vec<(String, Option<Values>)> {
    let members = value.as_object().into_iter().flatten();
    members
        .map(|(name, value)| (name.clone(), values(value)))
        .collect()
}

/// Returns values by field from a list, such as `[{"name": "clarity", "values": ["720P"]}]`.
fn listed(value: &Value) -> Option<Vec<(String, Option<Values>)>> {
    let entry = |item: &Value| {
        // In reverse order, because here an entry rather has `key` or `field` than `value`.
        let name = NAMES
            .iter()
            .rev()
            .find_map(|name| item.get(*name)?.as_str())?;
        Some((name.to_string(), values(item)))
    };
    value.as_array()?.iter().map(entry).collect()
}

/// Returns the values that a field takes, or `None` if they can't be read.
fn values(value: &Value) -> Option<Values> {
    let is_plain = |value: &&Value| value.is_string() || value.is_number() || value.is_boolean();
    let items = match value {
        Value::Array(items) if !items.is_empty() => items,
        Value::Object(members) => {
            return VALUES
                .into_iter()
                .find_map(|name| values(members.get(name).filter(|values| values.is_array())?));
        }
        _ => return None,
    };
    let mut found = Values::default();
    for item in items {
        let main = Some(item).filter(is_plain).or_else(|| {
            NAMES
                .iter()
                .find_map(|name| item.get(*name).filter(is_plain))
        });
        // With one unreadable item, the model may take more values than the readable ones.
        found.listed.push(main?.clone());
        found.others.extend(
            item.as_object()
                .into_iter()
                .flat_map(|members| members.values())
                .filter(is_plain)
                .cloned(),
        );
    }
    Some(found)
}

/// Returns the kinds of references in a list of their names, or `None` if a name is unknown.
fn media(value: &Value) -> Option<Vec<FileKind>> {
    let kind = |item: &Value| {
        let name = item.as_str()?.to_ascii_lowercase();
        match name.strip_suffix('s').unwrap_or(&name) {
            "image" => Some(FileKind::Image),
            "video" => Some(FileKind::Video),
            "audio" => Some(FileKind::Audio),
            _ => None,
        }
    };
    value
        .as_array()?
        .iter()
        .map(kind)
        .collect::<Option<Vec<_>>>()
        .filter(|items| !items.is_empty())
}
