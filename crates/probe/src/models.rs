//! The search for the model catalogue, by the models that the document names.

use serde_json::Value;

use super::leaves::{self, joined};
use super::report::{Parts, Report};
use super::session::{Session, default_path};
use mediagate_core::CAPABILITIES;
use mediagate_dialect::{Dialect, capability_named};

/// The likely paths, after the prefix; the first is the default.
const PATHS: [&str; 12] = [
    "models",
    "model_catalog",
    "model_catalogue",
    "models/list",
    "model/list",
    "models/catalog",
    "model/catalog",
    "catalog/models",
    "generate/models",
    "generation/models",
    "catalog",
    "model",
];

/// The largest number of models that are compared.
const MAX_ENTRIES: usize = 100;
/// The largest number of members of a model that are compared.
const MAX_MEMBERS: usize = 100;
pub(super) const SETTING: &str = "UPSTREAM_MODELS_PATH";

/// Reads likely paths until a response has models.
pub(super) async fn find(session: &Session, report: &mut Report) {
    for path in session.paths(SETTING, &PATHS) {
        let response = session.try_get("read the models", &path).await;
        let Some(body) = response.success() else {
            continue;
        };
        let read = |dialect: &Dialect| dialect.models.read(body);
        // If the response has no model that the document names, the default must be able to read
        // it, or the response may be anything.
        let Some(parts) = places(body).or_else(|| is_default(body).then(Parts::default)) else {
            continue;
        };
        if path != default_path(&PATHS) {
            report.set(SETTING, path);
        }
        let parts = parts.on(&session.known.dialect);
        let whole = read(&parts.dialect());
        if whole.is_none() {
            report.unknown(
                "models.list",
                "the models were found, and their shape can't be described",
            );
            return;
        }
        report.add(parts.needed(|dialect| read(dialect) == whole));
        return;
    }
    report.unknown(
        SETTING,
        "no path that was tried has the models; without one, the gateway checks no request \
         against a model",
    );
}

/// Returns true if the default dialect reads models with a capability or with options.
fn is_default(body: &Value) -> bool {
    let has = |model: &Value| {
        ["capability", "generation_options"]
            .iter()
            .any(|name| model.get(*name).is_some())
    };
    Dialect::default()
        .models
        .read(body)
        .is_some_and(|catalogue| catalogue.records().iter().any(has))
}

/// Returns the places of the models and of their parts: the list with the most known models.
fn places(body: &Value) -> Option<Parts> {
    let mut best: Option<(usize, String, Vec<Listed>)> = None;
    leaves::each(body, &mut |place, value| {
        let entries = entries(value);
        let known = entries.iter().filter(|entry| entry.is_known()).count();
        if known > best.as_ref().map_or(0, |best| best.0) {
            best = Some((known, place.to_string(), entries));
        }
    });
    let (_, list, entries) = best?;
    let mut parts = Parts::default();
    parts.push("models.list", list);
    let id = common(&entries, |id| id.as_str().is_some_and(is_model));
    if id.is_some() || entries.iter().all(|entry| entry.key.is_some()) {
        parts.push("models.id", Value::from_iter(id));
    }
    let is_capability = |value: &Value| value.as_str().and_then(capability_named).is_some();
    let mut push = |part, accept: &dyn Fn(&Value) -> bool| {
        parts.push(part, Value::from_iter(common(&entries, accept)));
    };
    push("models.capability", &is_capability);
    push("models.options", &has_options);
    push("models.references", &is_media);
    Some(parts)
}

/// One model: its record, and its key if the models are an object's members.
struct Listed {
    key: Option<String>,
    record: Value,
}

fn entries(value: &Value) -> Vec<Listed> {
    match value {
        Value::Array(items) => items
            .iter()
            .map(|item| Listed {
                key: None,
                record: item.clone(),
            })
            .collect(),
        Value::Object(members) if members.values().all(Value::is_object) => members
            .iter()
            .map(|(key, record)| Listed {
                key: Some(key.clone()),
                record: record.clone(),
            })
            .collect(),
        _ => Vec::new(),
    }
}

impl Listed {
    /// Returns true if the document names the model or its capability.
    fn is_known(&self) -> bool {
        let known = |name: &str| is_model(name) || capability_named(name).is_some();
        let members = self
            .record
            .as_object()
            .into_iter()
            .flat_map(|members| members.values());
        let key = self.key.as_deref().is_some_and(is_model);
        key || self.record.as_str().is_some_and(known)
            || members.filter_map(Value::as_str).any(known)
    }
}

fn is_model(id: &str) -> bool {
    CAPABILITIES
        .iter()
        .any(|capability| capability.documented_model == Some(id))
}

/// Returns the place at which the most records have an accepted value: a member, or a member one
/// level below.
fn common(entries: &[Listed], accept: impl Fn(&Value) -> bool) -> Option<String> {
    let mut counts: Vec<(String, usize)> = Vec::new();
    let mut count = |place: String| match counts.iter_mut().find(|(known, _)| *known == place) {
        Some((_, number)) => *number += 1,
        None => counts.push((place, 1)),
    };
    for entry in entries.iter().take(MAX_ENTRIES) {
        for (member, value) in entry
            .record
            .as_object()
            .into_iter()
            .flatten()
            .take(MAX_MEMBERS)
        {
            let place = joined("", member);
            if accept(value) {
                count(place.clone());
            }
            for (inner, _) in value
                .as_object()
                .into_iter()
                .flatten()
                .take(MAX_MEMBERS)
                .filter(|inner| accept(inner.1))
            {
                count(joined(&place, inner));
            }
        }
    }
    // Of two places that are equally frequent, the outer one is the value itself.
    let depth = |place: &str| place.matches('/').count();
    counts
        .into_iter()
        .min_by_key(|(place, number)| (usize::MAX - number, depth(place)))
        .map(|(place, _)| place)
}

/// Returns true if a value has options of fields: as an object by field, or as a list that names
/// the fields.
fn has_options(value: &Value) -> bool {
    let is_field = |name: &str| {
        CAPABILITIES
            .iter()
            .any(|capability| capability.field(name).is_some() && name != "model_id")
    };
    let names_field = |item: &Value| {
        item.as_object()
            .is_some_and(|members| members.values().filter_map(Value::as_str).any(is_field))
    };
    match value {
        Value::Object(members) => members.iter().any(|(name, member)| {
            is_field(&mediagate_core::ids::snake(name)) && (member.is_array() || member.is_object())
        }),
        Value::Array(items) => items.iter().any(names_field),
        _ => false,
    }
}

fn is_media(value: &Value) -> bool {
    let is_kind = |item: &Value| {
        item.as_str().is_some_and(|text| {
            ["image", "video", "audio"].contains(&text.to_ascii_lowercase().trim_end_matches('s'))
        })
    };
    value
        .as_array()
        .is_some_and(|items| !items.is_empty() && items.iter().all(is_kind))
}
