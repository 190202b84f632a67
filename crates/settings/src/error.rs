use std::fmt;

use mediagate_access::refusal::Refusal;

/// A setting that is missing or wrong. Has the name and the remedy, but never the value, which may
/// be a secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingsError {
    pub setting: &'static str,
    /// The rest of a sentence about the setting: what is wrong, and what would be right.
    pub problem: String,
}

impl fmt::Display for SettingsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the setting {} {}", self.setting, self.problem)
    }
}

impl std::error::Error for SettingsError {}

impl From<SettingsError> for Refusal {
    fn from(error: SettingsError) -> Self {
        Refusal::misconfigured(error.setting, error.to_string())
    }
}
