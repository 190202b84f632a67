//! The report of the probe: the settings that it found, and the unknown ones.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use mediagate_dialect::Dialect;

/// The settings that are known before the probe.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Known {
    /// Paths, by the settings [`PATH_SETTINGS`].
    pub paths: BTreeMap<&'static str, String>,
    /// Parts of the dialect, in the form of `UPSTREAM_DIALECT`.
    pub dialect: Value,
}

/// The settings for paths that the probe finds.
pub const PATH_SETTINGS: [&str; 5] = [
    "UPSTREAM_TASK_PATH_GENERATE",
    "UPSTREAM_TASK_PATH_PROCESS",
    "UPSTREAM_MODELS_PATH",
    "UPSTREAM_ESTIMATE_PATH",
    "UPSTREAM_ASSET_PATH",
];

impl Known {
    /// Returns a known part of the dialect, such as `upload.request`.
    pub(super) fn part(&self, part: &str) -> Option<&Value> {
        at(&self.dialect, part)
    }

    /// Returns the default dialect with the known parts.
    pub(super) fn dialect(&self) -> Dialect {
        dialect(&self.dialect)
    }

    /// Returns the path of a setting, if it is known and not empty, which means switched off.
    pub(super) fn path(&self, setting: &str) -> Option<&str> {
        self.paths
            .get(setting)
            .map(String::as_str)
            .filter(|path| !path.is_empty())
    }
}

/// The result of a probe.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// The settings of the gateway that differ from their defaults, except the dialect.
    pub settings: BTreeMap<&'static str, String>,
    /// The parts of `UPSTREAM_DIALECT` that differ from the default.
    pub dialect: Value,
    /// The parts that no exchange showed.
    pub unknown: Vec<Unknown>,
    /// Other remarks for a person.
    pub notes: Vec<String>,
    /// The created tasks whose ids are known. They may have cost credits.
    pub tasks: Vec<String>,
    /// The reason if the probe stopped early.
    pub stopped: Option<String>,
}

/// A part that no exchange showed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unknown {
    /// The setting, or the part of the dialect, such as `states.EXPIRED`.
    pub part: &'static str,
    /// The reason, and the remedy.
    pub why: String,
}

/// The parts that uploads or tasks need.
const NEEDED: [&str; 8] = [
    "upload.request",
    "upload.file_id",
    "upload.send",
    "task",
    "states.SUCCEEDED",
    "UPSTREAM_TASK_PATH_GENERATE",
    "UPSTREAM_TASK_PATH_PROCESS",
    "UPSTREAM_ASSET_PATH",
];

impl Unknown {
    /// Returns true if the gateway does not work without the part.
    pub fn is_needed(&self) -> bool {
        NEEDED.contains(&self.part)
    }
}

impl Report {
    pub(super) fn new(known: &Known) -> Self {
        Report {
            settings: known.paths.clone(),
            dialect: known.dialect.clone(),
            ..Report::default()
        }
    }

    /// Returns true if the gateway works with these settings: the probe did not stop early, and no
    /// needed part is unknown.
    pub fn is_enough(&self) -> bool {
        self.stopped.is_none() && !self.unknown.iter().any(Unknown::is_needed)
    }

    /// Returns true if no exchange showed the part.
    pub fn lacks(&self, part: &str) -> bool {
        self.unknown.iter().any(|unknown| unknown.part == part)
    }

    /// Adds a part that was tried and not found.
    pub(super) fn unknown(&mut self, part: &'static str, why: &str) {
        if !self.lacks(part) {
            self.unknown.push(Unknown {
                part,
                why: why.to_string(),
            });
        }
    }

    /// Adds a part that was not tried, unless it is known.
    pub(super) fn untried(&mut self, part: &'static str, why: &str) {
        let is_path = self.settings.get(part).is_some_and(|path| !path.is_empty());
        if !is_path && at(&self.dialect, part).is_none() {
            self.unknown(part, why);
        }
    }

    pub(super) fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }

    pub(super) fn set(&mut self, setting: &'static str, value: impl Into<String>) {
        self.settings.insert(setting, value.into());
    }

    /// Returns the default dialect with the parts that were found.
    pub(super) fn dialect(&self) -> Dialect {
        dialect(&self.dialect)
    }

    pub(super) fn add(&mut self, parts: Parts) {
        for (part, value) in parts.0 {
            put(&mut self.dialect, part, value);
        }
    }

    /// Drops the parts that were found if they contradict the known ones.
    pub(super) fn check(&mut self, known: &Known) {
        if self.dialect.is_null() {
            return;
        }
        if let Err(error) = Dialect::parse(&self.dialect.to_string()) {
            self.dialect = known.dialect.clone();
            self.note(format!(
                "What was found contradicts what was known ({error}), and was left out. Correct \
                 the known file, and run it again."
            ));
        }
    }
}

/// Parts of a dialect with their values, such as `("task.id", "/ticket")`, and also the known
/// parts.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Parts(pub(super) Vec<(&'static str, Value)>, Value);

impl Parts {
    pub(super) fn new(parts: Vec<(&'static str, Value)>) -> Self {
        Parts(parts, Value::Null)
    }

    pub(super) fn one(part: &'static str, value: impl Into<Value>) -> Self {
        Parts::new(Vec::from([(part, value.into())]))
    }

    /// Adds the known parts of a dialect.
    pub(super) fn on(self, known: &Value) -> Self {
        Parts(self.0, known.clone())
    }

    pub(super) fn push(&mut self, part: &'static str, value: impl Into<Value>) {
        self.0.push((part, value.into()));
    }

    /// Returns the default dialect with the known parts and these.
    pub(super) fn dialect(&self) -> Dialect {
        let mut document = self.1.clone();
        self.0
            .iter()
            .for_each(|(part, value)| put(&mut document, part, value.clone()));
        dialect(&document)
    }

    /// Removes each part without which `is_same` still holds.
    pub(super) fn needed(mut self, is_same: impl Fn(&Dialect) -> bool) -> Self {
        // One part at a time: each of two parts may be unnecessary, but not both.
        for part in self.0.clone() {
            let others = Parts(
                self.0
                    .iter()
                    .filter(|other| **other != part)
                    .cloned()
                    .collect(),
                self.1.clone(),
            );
            if is_same(&others.dialect()) {
                self = others;
            }
        }
        self
    }
}

/// Parses a dialect. Returns the default if the dialect is invalid: known parts may contradict
/// found ones until [`Report::check`].
fn dialect(document: &Value) -> Dialect {
    if document.is_null() {
        Dialect::default()
    } else {
        Dialect::parse(&document.to_string()).unwrap_or_default()
    }
}

/// Returns a member by its path, with dots between the names.
fn at<'a>(document: &'a Value, path: &str) -> Option<&'a Value> {
    document.pointer(&["/", &path.replace('.', "/")].concat())
}

/// Sets a member by its path, with dots between the names.
fn put(document: &mut Value, path: &str, value: Value) {
    let mut at = document;
    for name in path.split('.') {
        if !at.is_object() {
            *at = json!({});
        }
        at = &mut at[name];
    }
    *at = value;
}
