//! Finds the model catalogue, by the models that the document names.

use serde_json::Value;

use super::leaves::{self, joined};
use super::report::{Parts, Report};
use super::session::Session;
use mediagate_core::{CAPABILITIES, PREFIX};
use mediagate_dialect::{Dialect, capability_named};

/// Likely paths, after the prefix; the first is the default.
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

/// The most models, and the most members of one, that are compared.
const MAX_ENTRIES: usize = 100;
const MAX_MEMBERS: usize = 100;
pub(super) const SETTING: &str = "UPSTREAM_MODELS_PATH";

fn default_path() -> String {
    format!("{PREFIX}{}", PATHS[0])
}

/// Reads likely paths until one has models.
pub(super) async fn find(session: &Session, report: &mut Report) {
    for path in session.paths(SETTING, &PATHS) {
        let reply = session.try_get("read the models", &path).await;
        let Some(body) = reply.success() else {
            continue;
        };
        let read = |it: &Dialect| it.models.read(body);
        // Without a model that the document names, the default shows whether these are models at all.
        let Some(parts) = places(body).or_else(|| is_default(body).then(Parts::default)) else {
            continue;
        };
        if path != default_path() {
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
        report.add(parts.needed(|it| read(it) == whole));
        return;
    }
    report.unknown(
        SETTING,
        "no path that was tried has the models; without one, the gateway checks no request against a model",
    );
}

/// Whether the default reads models that say what they serve, or what they take.
fn is_default(body: &Value) -> bool {
    let has = |it: &Value| {
        ["capability", "generation_options"]
            .iter()
            .any(|name| it.get(*name).is_some())
    };
    Dialect::default()
        .models
        .read(body)
        .is_some_and(|it| it.records().iter().any(has))
}

/// Where the models are, and their parts.
fn places(body: &Value) -> Option<Parts> {
    let mut best: Option<(usize, String, Vec<Listed>)> = None;
    leaves::each(body, &mut |place, value| {
        let entries = entries(value);
        let known = entries.iter().filter(|it| it.is_known()).count();
        if known > best.as_ref().map_or(0, |it| it.0) {
            best = Some((known, place.to_string(), entries));
        }
    });
    let (_, list, entries) = best?;
    let mut parts = Parts::default();
    parts.push("models.list", list);
    let id = common(&entries, |it| it.as_str().is_some_and(is_model));
    if id.is_some() || entries.iter().all(|it| it.key.is_some()) {
        parts.push("models.id", Value::from_iter(id));
    }
    let place = |found: Option<String>| Value::from_iter(found);
    parts.push(
        "models.capability",
        place(common(&entries, |it| {
            it.as_str().is_some_and(|it| capability_named(it).is_some())
        })),
    );
    parts.push("models.options", place(common(&entries, has_options)));
    parts.push("models.references", place(common(&entries, is_media)));
    Some(parts)
}

/// One model: its key, where it has one, and its record.
struct Listed {
    key: Option<String>,
    record: Value,
}

fn entries(value: &Value) -> Vec<Listed> {
    match value {
        Value::Array(items) => items
            .iter()
            .map(|it| Listed {
                key: None,
                record: it.clone(),
            })
            .collect(),
        Value::Object(members) if members.values().all(Value::is_object) => members
            .iter()
            .map(|(key, it)| Listed {
                key: Some(key.clone()),
                record: it.clone(),
            })
            .collect(),
        _ => Vec::new(),
    }
}

impl Listed {
    /// Whether the document knows the model, or what it serves.
    fn is_known(&self) -> bool {
        let known = |it: &str| is_model(it) || capability_named(it).is_some();
        let members = self
            .record
            .as_object()
            .into_iter()
            .flat_map(|it| it.values());
        let key = self.key.as_deref().is_some_and(is_model);
        key || self.record.as_str().is_some_and(known)
            || members.filter_map(Value::as_str).any(known)
    }
}

fn is_model(id: &str) -> bool {
    CAPABILITIES
        .iter()
        .any(|it| it.documented_model == Some(id))
}

/// The place in the records where most of them have a value of this kind: among their members, or one level below.
fn common(entries: &[Listed], accept: impl Fn(&Value) -> bool) -> Option<String> {
    let mut counts: Vec<(String, usize)> = Vec::new();
    let mut count = |place: String| match counts.iter_mut().find(|it| it.0 == place) {
        Some(known) => known.1 += 1,
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
                .filter(|it| accept(it.1))
            {
                count(joined(&place, inner));
            }
        }
    }
    // The outer one where both are as frequent.
    let depth = |place: &str| place.matches('/').count();
    counts
        .into_iter()
        .min_by_key(|(place, count)| (usize::MAX - count, depth(place)))
        .map(|it| it.0)
}

/// Whether it has values by field: as an object, or as a list that names the fields.
fn has_options(value: &Value) -> bool {
    let is_field = |it: &str| {
        CAPABILITIES
            .iter()
            .any(|capability| capability.field(it).is_some() && it != "model_id")
    };
    let names = |it: &Value| {
        it.as_object()
            .is_some_and(|it| it.values().filter_map(Value::as_str).any(is_field))
    };
    match value {
        Value::Object(members) => members.iter().any(|(name, it)| {
            is_field(&mediagate_core::ids::snake(name)) && (it.is_array() || it.is_object())
        }),
        Value::Array(items) => items.iter().any(names),
        _ => false,
    }
}

fn is_media(value: &Value) -> bool {
    let is_kind = |it: &Value| {
        it.as_str().is_some_and(|it| {
            ["image", "video", "audio"].contains(&it.to_ascii_lowercase().trim_end_matches('s'))
        })
    };
    value
        .as_array()
        .is_some_and(|it| !it.is_empty() && it.iter().all(is_kind))
}
