//! A whole dialect.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    create::CreateDialect, estimate::EstimateDialect, models::ModelsDialect, paths::PathsDialect,
    states::StateWords, task::TaskDialect, upload::UploadDialect,
};

/// The emulator's form of what the upstream document does not show. The default is what the emulator speaks by itself. In
/// JSON, parts that are absent are the default's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Dialect {
    /// Paths.
    pub paths: PathsDialect,
    /// Uploads.
    pub upload: UploadDialect,
    /// Creates.
    pub create: CreateDialect,
    /// Whether successes are in an envelope `{code, message, data}`. Errors always are (§7).
    pub envelope: bool,
    /// True if the envelope's members are `Code`, `Message` and `Data`.
    pub capital_envelope: bool,
    /// Task records.
    pub task: TaskDialect,
    /// The words for the states of a task.
    pub states: StateWords,
    /// The model catalogue.
    pub models: ModelsDialect,
    /// The estimate of credits.
    pub estimate: EstimateDialect,
}

impl Dialect {
    /// Returns the dialect with an envelope in capitals and its places in `Data`.
    pub(super) fn in_capitals(self) -> Self {
        let mut document = json!(self);
        capitalise(&mut document);
        document["capital_envelope"] = json!(true);
        // Only places changed, so the document is still a dialect.
        serde_json::from_value(document).unwrap_or(self)
    }
}

/// Replaces the places in `data` by those in `Data`.
fn capitalise(document: &mut Value) {
    match document {
        Value::String(text) if text == "/data" || text.starts_with("/data/") => {
            text.replace_range(1..2, "D");
        }
        Value::Array(items) => items.iter_mut().for_each(capitalise),
        Value::Object(members) => {
            let named = std::mem::take(members);
            for (name, mut member) in named {
                capitalise(&mut member);
                let mut name = Value::from(name);
                capitalise(&mut name);
                members.insert(name.as_str().unwrap_or_default().to_owned(), member);
            }
        }
        _ => {}
    }
}

impl Default for Dialect {
    fn default() -> Self {
        Dialect {
            paths: PathsDialect::default(),
            upload: UploadDialect::default(),
            create: CreateDialect::default(),
            envelope: true,
            capital_envelope: false,
            task: TaskDialect::default(),
            states: StateWords::default(),
            models: ModelsDialect::default(),
            estimate: EstimateDialect::default(),
        }
    }
}
