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
        self.list
            .find(&[response], |list| self.catalogue(response, list))
    }

    fn catalogue(&self, response: &Value, list: &Value) -> Option<Catalogue> {
        let entries = entries(list)?;
        let mut models = Vec::new();
        // Only a catalogue without doubt may exclude the id of an unknown model.
        let mut is_complete = true;
        for (key, entry) in entries {
            is_complete &= has_own_id(entry) || self.has_key_as_id(key, entry);
            match self.model(key, entry) {
                Some(model) => models.push(model),
                None => is_complete = false,
            }
        }
        if models.is_empty() {
            return None;
        }
        Some(Catalogue {
            is_complete: is_complete && !has_more_models(response, models.len()),
            models,
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
        let options = self.options.find(&[record], options);
        let id = if let Some(id) = record.as_str() {
            id.to_owned()
        } else if let Some(id) = self.id.find(&[record], words) {
            id
        } else if options.is_some() || self.id.is_empty() {
            key?.to_owned()
        } else {
            // A key is no id then, or any object of objects would be a catalogue.
            return None;
        };
        Some(Model {
            id,
            capability: self.capability.find(&[record], capability_of),
            options: options.unwrap_or_default(),
            references: self.references.find(&[record], media),
            record: match record {
                Value::Object(_) => record.clone(),
                _ => Value::Null,
            },
        })
    }
}

/// Returns the capability by its name, which may be in camel case, or by its path.
fn capability_of(value: &Value) -> Option<&'static str> {
    let text = value.as_str()?;
    find(&snake(after_last(text, b'/').unwrap_or(text))).map(Capability::name)
}

/// Returns true if an entry is certainly a model: it has the document's own name for the id, and no
/// list of further models.
fn has_own_id(entry: &Value) -> bool {
    let mut members = entry.as_object().into_iter().flatten();
    entry.get("model_id").is_some_and(Value::is_string)
        && !members.any(|(_, member)| lists_models(member))
}

fn lists_models(member: &Value) -> bool {
    let mut items = member.as_array().into_iter().flatten();
    items.any(|item| item.get("model_id").is_some())
}

/// Returns the entries of a list, or of an object that has only objects, with their keys.
fn entries(value: &Value) -> Option<Vec<(Option<&str>, &Value)>> {
    let mut entries = Vec::new();
    match value {
        Value::Array(items) => {
            for item in items {
                entries.push((None, item));
            }
        }
        Value::Object(members) if members.values().all(Value::is_object) => {
            for (name, record) in members {
                entries.push((Some(name.as_str()), record));
            }
        }
        _ => return None,
    }
    Some(entries)
}

/// Returns true if the response, or an object beside the list, states that there are more models.
fn has_more_models(response: &Value, count: usize) -> bool {
    let mut members = response.as_object().into_iter().flatten();
    members.any(|(name, value)| {
        // `next_cursor`, `nextCursor` and `next-cursor` are one name.
        let mut name = name.to_ascii_lowercase();
        name.retain(|letter| letter.is_ascii_alphanumeric());
        let name = name.as_str();
        let is_set =
            !matches!(value, Value::Null | Value::Bool(false)) && *value != "" && *value != 0;
        MORE.iter().any(|prefix| name.starts_with(prefix)) && is_set
            || TOTALS.contains(&name) && number(value) > Some(count as f64)
            || PAGES.contains(&name) && number(value) > Some(1.0)
            || PAGING.contains(&name) && has_more_models(value, count)
    })
}

fn number(value: &Value) -> Option<f64> {
    match value {
        Value::String(text) => text.trim().parse().ok(),
        other => other.as_f64(),
    }
}

/// Returns values by field, from a value such as `{"clarity": ["720P"]}`,
/// `{"clarity": {"values": ["720P"]}}`, or `[{"name": "clarity", "values": ["720P"]}]`.
fn options(value: &Value) -> Option<Vec<(String, Option<Values>)>> {
    let mut options = Vec::new();
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                options.push((name.clone(), values(value)));
            }
        }
        Value::Array(items) => {
            for item in items {
                // In reverse order, because here an entry rather has `key` or `field` than `value`.
                let mut names = NAMES.iter().rev();
                let name = names.find_map(|name| item.get(*name)?.as_str())?;
                options.push((name.to_owned(), values(item)));
            }
        }
        _ => return None,
    }
    Some(options)
}

/// Returns the values that a field takes, or `None` if they can't be read.
fn values(value: &Value) -> Option<Values> {
    match value {
        Value::Array(items) => listed_values(items),
        Value::Object(members) => VALUES
            .iter()
            .find_map(|name| listed_values(members.get(*name)?.as_array()?)),
        _ => None,
    }
}

fn listed_values(items: &[Value]) -> Option<Values> {
    if items.is_empty() {
        return None;
    }
    let mut found = Values::default();
    for item in items {
        let main = if is_plain(&item) {
            Some(item)
        } else {
            let mut named = NAMES.iter().filter_map(|name| item.get(*name));
            named.find(is_plain)
        };
        // With one unreadable item, the model may take more values than the readable ones.
        found.listed.push(main?.clone());
        if let Value::Object(members) = item {
            let others = members.values().filter(is_plain);
            found.others.extend(others.cloned());
        }
    }
    Some(found)
}

fn is_plain(value: &&Value) -> bool {
    value.is_string() || value.is_number() || value.is_boolean()
}

/// Returns the kinds of references in a list of their names, or `None` if a name is unknown.
fn media(value: &Value) -> Option<Vec<FileKind>> {
    let items = value.as_array()?;
    let media: Vec<FileKind> = items.iter().map(medium).collect::<Option<_>>()?;
    (!media.is_empty()).then_some(media)
}

fn medium(item: &Value) -> Option<FileKind> {
    let name = item.as_str()?.to_ascii_lowercase();
    match name.strip_suffix('s').unwrap_or(&name) {
        "image" => Some(FileKind::Image),
        "video" => Some(FileKind::Video),
        "audio" => Some(FileKind::Audio),
        _ => None,
    }
}
