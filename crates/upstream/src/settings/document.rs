use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::create::CreateDialect;
use super::envelope::EnvelopeDialect;
use super::error::{DialectError, joined};
use super::estimate::EstimateDialect;
use super::models::ModelsDialect;
use super::states::States;
use super::task::TaskDialect;
use super::upload::UploadDialect;

/// The undocumented parts of the upstream's wire. Each part that a JSON document omits has its
/// default.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Dialect {
    /// The members of the envelope (§2).
    pub envelope: EnvelopeDialect,
    /// The request for an upload URL, its response, and the upload (§4.1).
    pub upload: UploadDialect,
    /// The body of a create (§4.3).
    pub create: CreateDialect,
    /// The place of a task record, and its members (§2).
    pub task: TaskDialect,
    /// Other words for the final states (§3).
    pub states: States,
    /// The model catalogue (§2).
    pub models: ModelsDialect,
    /// The credit estimate (§4.1).
    pub estimate: EstimateDialect,
}

impl Dialect {
    /// Reads a JSON document. Fails for the first part that is unknown or malformed.
    pub fn parse(text: &str) -> Result<Self, DialectError> {
        let document: Value = serde_json::from_str(text)
            .map_err(|error| DialectError::new("the document", &error.to_string()))?;
        // serde would accept a list as the members in order.
        for (place, part) in [
            ("", "the document"),
            ("/envelope", "envelope"),
            ("/upload", "upload"),
            ("/upload/send", "upload.send"),
            ("/upload/confirm", "upload.confirm"),
            ("/create", "create"),
            ("/task", "task"),
            ("/states", "states"),
            ("/models", "models"),
            ("/estimate", "estimate"),
        ] {
            if document
                .pointer(place)
                .is_some_and(|value| !value.is_object() && !value.is_null())
            {
                return Err(DialectError::new(part, "is no JSON object"));
            }
        }
        // serde's own error does not name the part.
        let dialect: Dialect = serde_path_to_error::deserialize(document).map_err(|error| {
            DialectError::new(&error.path().to_string(), &error.inner().to_string())
        })?;
        dialect.check()?;
        Ok(dialect)
    }

    fn check(&self) -> Result<(), DialectError> {
        self.upload
            .request
            .check("upload.request", &UploadDialect::PLACEHOLDERS)?;
        self.upload.check_headers()?;
        if let Some(confirm) = &self.upload.confirm {
            confirm.check()?;
        }
        self.estimate
            .request
            .check("estimate.request", &EstimateDialect::PLACEHOLDERS)?;
        let complete = self.task.progress_complete;
        if complete.is_some_and(|complete| !(complete.is_finite() && complete > 0.0)) {
            return Err(DialectError::new(
                "task.progress_complete",
                "is no number above 0",
            ));
        }
        for code in self.task.codes.keys() {
            // Exactly as the reader looks it up.
            let is_code = code
                .parse::<i32>()
                .is_ok_and(|number| number.to_string() == *code);
            if !is_code || code == "0" {
                return Err(DialectError::new(
                    &joined("task.codes", code),
                    "is no code of an error; give an int32 other than 0, such as \"1404\"",
                ));
            }
        }
        self.states.check()
    }
}
