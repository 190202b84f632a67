//! A whole dialect.

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{
    create::CreateDialect, estimate::EstimateDialect, models::ModelsDialect, paths::PathsDialect,
    states::StateWords, task::TaskDialect, upload::UploadDialect,
};

/// The form of everything that the upstream document does not show.
///
/// The default is the form in `README.md`. In JSON, absent parts have the default's values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Dialect {
    /// Paths.
    pub paths: PathsDialect,
    /// Uploads.
    pub upload: UploadDialect,
    /// Creates.
    pub create: CreateDialect,
    /// True if successes are in an envelope `{code, message, data}`. Errors always are (§7).
    pub envelope: bool,
    /// True if the envelope's members are named `Code`, `Message` and `Data`.
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
    /// Returns the dialect with a capitalised envelope, and with every place in `data` moved to
    /// `Data`.
    pub(super) fn in_capitals(self) -> Self {
        let text = json!(self).to_string().replace("\"/data", "\"/Data");
        // Only the text of places has changed, so the document still parses as a dialect.
        let dialect = serde_json::from_str(&text).unwrap_or(self);
        Dialect {
            capital_envelope: true,
            ..dialect
        }
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
