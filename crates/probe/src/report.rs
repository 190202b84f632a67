//! What the probe found, and what it could not tell.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use mediagate_dialect::Dialect;

/// What is known before the probe.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Known {
    /// Paths, by the settings [`PATH_SETTINGS`].
    pub paths: BTreeMap<&'static str, String>,
    /// Parts of the dialect, as `UPSTREAM_DIALECT` has them.
    pub dialect: Value,
}

/// The settings with paths that the probe finds.
pub const PATH_SETTINGS: [&str; 5] = [
    "UPSTREAM_TASK_PATH_GENERATE",
    "UPSTREAM_TASK_PATH_PROCESS",
    "UPSTREAM_MODELS_PATH",
    "UPSTREAM_ESTIMATE_PATH",
    "UPSTREAM_ASSET_PATH",
];

impl Known {
    /// A part of the dialect, such as `upload.request`.
    pub(super) fn part(&self, part: &str) -> Option<&Value> {
        at(&self.dialect, part)
    }

    /// The default dialect with what is known.
    pub(super) fn dialect(&self) -> Dialect {
        dialect(&self.dialect)
    }

    /// The path of a setting, where it is known and not switched off.
    pub(super) fn path(&self, setting: &str) -> Option<&str> {
        self.paths
            .get(setting)
            .map(String::as_str)
            .filter(|it| !it.is_empty())
    }
}

/// What the probe found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// Settings of the gateway that differ from their defaults, but the dialect.
    pub settings: BTreeMap<&'static str, String>,
    /// What of `UPSTREAM_DIALECT` differs from the default.
    pub dialect: Value,
    /// What no exchange showed.
    pub unknown: Vec<Unknown>,
    /// What else a person should read.
    pub notes: Vec<String>,
    /// The tasks that were created, as far as their ids are known: they may have cost credits.
    pub tasks: Vec<String>,
    /// Why the probe ended before its end; `None` where it did not.
    pub stopped: Option<String>,
}

/// A part that no exchange showed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unknown {
    /// The setting, or the part of the dialect, such as `states.EXPIRED`.
    pub part: &'static str,
    /// Why, and what to do.
    pub why: String,
}

/// The parts without which uploads, or tasks, do not work.
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
    /// Whether the gateway does not work without it.
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

    /// Returns whether the gateway works with what was found: the probe came to its end, and no needed part is unknown.
    pub fn is_enough(&self) -> bool {
        self.stopped.is_none() && !self.unknown.iter().any(Unknown::is_needed)
    }

    /// Whether the part is among those that no exchange showed.
    pub fn lacks(&self, part: &str) -> bool {
        self.unknown.iter().any(|it| it.part == part)
    }

    /// Names a part that was tried, and not found.
    pub(super) fn unknown(&mut self, part: &'static str, why: &str) {
        if !self.lacks(part) {
            self.unknown.push(Unknown {
                part,
                why: why.to_string(),
            });
        }
    }

    /// Names a part that was not tried, unless it was known before.
    pub(super) fn untried(&mut self, part: &'static str, why: &str) {
        let is_path = self.settings.get(part).is_some_and(|it| !it.is_empty());
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

    /// The default dialect with what was found.
    pub(super) fn dialect(&self) -> Dialect {
        dialect(&self.dialect)
    }

    pub(super) fn add(&mut self, parts: Parts) {
        for (part, value) in parts.0 {
            put(&mut self.dialect, part, value);
        }
    }

    /// Returns to what was known where that and what was found contradict each other.
    pub(super) fn check(&mut self, known: &Known) {
        if let Some(error) = (!self.dialect.is_null())
            .then(|| Dialect::parse(&self.dialect.to_string()).err())
            .flatten()
        {
            self.dialect = known.dialect.clone();
            self.note(format!(
                "What was found contradicts what was known ({error}), and was left out. Correct the known file, and run it again."
            ));
        }
    }
}

/// Parts of a dialect with their values, such as `("task.id", "/ticket")`, and what is known besides.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Parts(pub(super) Vec<(&'static str, Value)>, Value);

impl Parts {
    pub(super) fn new(parts: Vec<(&'static str, Value)>) -> Self {
        Parts(parts, Value::Null)
    }

    /// The same beside the parts that are known.
    pub(super) fn on(self, known: &Value) -> Self {
        Parts(self.0, known.clone())
    }

    pub(super) fn push(&mut self, part: &'static str, value: impl Into<Value>) {
        self.0.push((part, value.into()));
    }

    /// The default dialect with what is known and these parts.
    pub(super) fn dialect(&self) -> Dialect {
        let mut document = self.1.clone();
        self.0
            .iter()
            .for_each(|(part, value)| put(&mut document, part, value.clone()));
        dialect(&document)
    }

    /// Those without which not everything is the same.
    pub(super) fn needed(mut self, is_same: impl Fn(&Dialect) -> bool) -> Self {
        for part in self.0.clone() {
            let others = Parts(
                self.0.iter().filter(|it| **it != part).cloned().collect(),
                self.1.clone(),
            );
            if is_same(&others.dialect()) {
                self = others;
            }
        }
        self
    }
}

/// A dialect that is invalid, as what is known may be beside what was found, reads as the default.
fn dialect(document: &Value) -> Dialect {
    if document.is_null() {
        Dialect::default()
    } else {
        Dialect::parse(&document.to_string()).unwrap_or_default()
    }
}

/// A member by its path, with dots between the names.
fn at<'a>(document: &'a Value, path: &str) -> Option<&'a Value> {
    document.pointer(&["/", &path.replace('.', "/")].concat())
}

/// Sets a member by its path, with dots between the names.
fn put(document: &mut Value, path: &str, value: Value) {
    let mut at = document;
    for name in path.split('.') {
        if !at.is_object() {
            *at = Value::Object(Map::new());
        }
        let Some(members) = at.as_object_mut() else {
            return;
        };
        at = members.entry(name).or_insert(Value::Null);
    }
    *at = value;
}
