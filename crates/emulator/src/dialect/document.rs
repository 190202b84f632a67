//! A whole dialect.

use serde::{Deserialize, Serialize};

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
    /// Task records.
    pub task: TaskDialect,
    /// The words for the states of a task.
    pub states: StateWords,
    /// The model catalogue.
    pub models: ModelsDialect,
    /// The estimate of credits.
    pub estimate: EstimateDialect,
}

impl Default for Dialect {
    fn default() -> Self {
        Dialect {
            paths: PathsDialect::default(),
            upload: UploadDialect::default(),
            create: CreateDialect::default(),
            envelope: true,
            task: TaskDialect::default(),
            states: StateWords::default(),
            models: ModelsDialect::default(),
            estimate: EstimateDialect::default(),
        }
    }
}
