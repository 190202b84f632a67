use serde_json::{Value, json};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Problem {
    /// The field as a JSON path, such as `segments[1].end_time`. Empty for the whole body.
    pub(crate) path: String,
    pub(crate) reason: &'static str,
    pub(crate) message: String,
}

impl Problem {
    pub(crate) fn new(path: &str, reason: &'static str, message: impl Into<String>) -> Self {
        Problem {
            path: path.into(),
            reason,
            message: message.into(),
        }
    }

    pub(super) fn record(&self) -> Value {
        json!({ "path": self.path, "reason": self.reason, "message": self.message })
    }
}
