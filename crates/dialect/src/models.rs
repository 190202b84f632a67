//! The model catalogue (§2), whose shape the document does not show but for two names.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::catalogue::{Catalogue, Model, Values};
use super::pointers::Pointers;
use mediagate_core::ids::snake;
use mediagate_core::text::after_last;
use mediagate_core::{Capability, FileKind, find};

/// Where models are in the response with the catalogue, and what of a model is read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ModelsDialect {
    /// Places of the list of models, or of an object with the models by id, from the outermost object.
    pub list: Pointers,
    /// Places of a model's id, in the model; none where its key is the id.
    pub id: Pointers,
    /// Places of the capability that it serves, in the model: its name, or its path.
    pub capability: Pointers,
    /// Places of its `generation_options`, in the model: lists of values by field.
    pub options: Pointers,
    /// Places of the kinds of references that it takes, in the model: a list of `image`, `video` and `audio`.
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
                "/Data/models",
                "/models",
                "/items",
                "/list",
                "",
            ]),
            id: Pointers::of(&["/model_id", "/modelId", "/id", "/name"]),
            capability: Pointers::of(&[
                "/capability",
                "/endpoint",
                "/path",
                "/task_type",
                "/taskType",
                "/type",
            ]),
            options: Pointers::of(&["/generation_options", "/generationOptions", "/options"]),
            references: Pointers::of(&[
                "/references/media",
                "/references",
                "/generation_options/references",
                "/reference_types",
                "/referenceTypes",
                "/supported_references",
            ]),
        }
    }
}

/// Names of members, without separators, that say that there is more of a list.
const MORE: [&str; 5] = ["hasmore", "hasnext", "next", "nextcursor", "nextpagetoken"];
/// The same of a number of all entries, or of pages.
const TOTALS: [&str; 3] = ["total", "totalcount", "count"];
const PAGES: [&str; 3] = ["totalpages", "pages", "pagecount"];
/// Objects beside a list that may have these.
const PAGING: [&str; 6] = ["data", "pagination", "paging", "pageinfo", "meta", "links"];
/// Where the values of a field are, in an object that describes them.
const VALUES: [&str; 6] = [
    "values",
    "options",
    "enum",
    "allowed",
    "allowed_values",
    "choices",
];
/// What holds a value, or the name of a field, in an object.
const NAMES: [&str; 5] = ["value", "id", "name", "field", "key"];

impl ModelsDialect {
    /// The catalogue in a response; `None` where it can't be read.
    pub fn read(&self, response: &Value) -> Option<Catalogue> {
        self.list.find(&[response], |it| {
            let entries = entries(it)?;
            let models: Vec<Model> = entries
                .iter()
                .filter_map(|(key, it)| self.model(*key, it))
                .collect();
            let is_complete = models.len() == entries.len()
                && entries.iter().all(|it| has_own_id(it.1))
                && !is_one_of_several(response, models.len());
            (!models.is_empty()).then_some(Catalogue {
                models,
                is_complete,
            })
        })
    }

    fn model(&self, key: Option<&str>, record: &Value) -> Option<Model> {
        let by_id = || {
            self.id.find(&[record], |it| {
                it.as_str()
                    .filter(|it| !it.trim().is_empty())
                    .map(str::to_string)
            })
        };
        let options = self.options.find(&[record], |it| {
            it.is_object().then(|| options(it)).or_else(|| listed(it))
        });
        // A key is an id only where it leads to a model, or where a model has no id but its key.
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
            .find(&[record], |it| capability_named(it.as_str()?));
        let record = if record.is_object() {
            record.clone()
        } else {
            Value::Null
        };
        Some(Model {
            id,
            capability,
            options: options.unwrap_or_default(),
            references,
            record,
        })
    }
}

/// The name of the capability with this name, in camel case too, or at this path.
pub fn capability_named(text: &str) -> Option<&'static str> {
    find(&snake(after_last(text, b'/').unwrap_or(text))).map(Capability::name)
}

/// Whether an entry is a model without doubt: it has the document's own name for the id, and no list of further objects.
fn has_own_id(entry: &Value) -> bool {
    let has_id = ["model_id", "modelId"]
        .iter()
        .any(|it| entry.get(*it).is_some_and(Value::is_string));
    let is_list = |it: &Value| {
        it.as_array()
            .is_some_and(|it| it.iter().any(|it| it.get("model_id").is_some()))
    };
    has_id && !entry.as_object().is_some_and(|it| it.values().any(is_list))
}

/// The entries of a list, or of an object that has objects alone, with their keys.
fn entries(value: &Value) -> Option<Vec<(Option<&str>, &Value)>> {
    match value {
        Value::Array(items) => Some(items.iter().map(|it| (None, it)).collect()),
        Value::Object(members) if members.values().all(Value::is_object) => Some(
            members
                .iter()
                .map(|(name, it)| (Some(name.as_str()), it))
                .collect(),
        ),
        _ => None,
    }
}

/// Whether the response, or an object beside the list, says that there are more models than these.
fn is_one_of_several(response: &Value, count: usize) -> bool {
    let Some(members) = response.as_object() else {
        return false;
    };
    members.iter().any(|(name, value)| {
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
        MORE.iter().any(|it| name.starts_with(it)) && is_set
            || TOTALS.contains(&name.as_str()) && number().is_some_and(|it| it > count as f64)
            || PAGES.contains(&name.as_str()) && number().is_some_and(|it| it > 1.0)
            || PAGING.contains(&name.as_str()) && is_one_of_several(value, count)
    })
}

/// Values by field, from an object: `{"clarity": ["720P"]}`, `{"clarity": {"values": ["720P"]}}`.
fn options(value: &Value) -> Vec<(String, Option<Values>)> {
    let members = value.as_object().into_iter().flatten();
    members
        .map(|(name, it)| (name.clone(), values(it)))
        .collect()
}

/// The same from a list: `[{"name": "clarity", "values": ["720P"]}]`.
fn listed(value: &Value) -> Option<Vec<(String, Option<Values>)>> {
    let entry = |it: &Value| {
        let name = NAMES
            .iter()
            .rev()
            .find_map(|name| it.get(*name)?.as_str())?;
        Some((name.to_string(), values(it)))
    };
    value.as_array()?.iter().map(entry).collect()
}

/// The values that a field takes; `None` where they can't be read.
fn values(value: &Value) -> Option<Values> {
    let is_plain = |it: &&Value| it.is_string() || it.is_number() || it.is_boolean();
    let items = match value {
        Value::Array(items) if !items.is_empty() => items,
        Value::Object(members) => {
            return VALUES
                .iter()
                .find_map(|it| values(members.get(*it).filter(|it| it.is_array())?));
        }
        _ => return None,
    };
    let mut found = Values::default();
    for item in items {
        let main = Some(item)
            .filter(is_plain)
            .or_else(|| NAMES.iter().find_map(|it| item.get(*it).filter(is_plain)));
        found.listed.push(main?.clone());
        found.others.extend(
            item.as_object()
                .into_iter()
                .flat_map(|it| it.values())
                .filter(is_plain)
                .cloned(),
        );
    }
    Some(found)
}

/// The kinds of references in a list of their names; `None` where one is unknown.
fn media(value: &Value) -> Option<Vec<FileKind>> {
    let kind = |it: &Value| {
        let name = it.as_str()?.to_ascii_lowercase();
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
        .filter(|it| !it.is_empty())
}
