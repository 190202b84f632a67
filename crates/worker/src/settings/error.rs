//! A setting that is missing or wrong.

use std::fmt;

/// A setting that is missing or wrong. It names the setting and the remedy, never the value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingsError {
    /// The setting's name.
    pub setting: &'static str,
    /// What is wrong with it and what would be right.
    pub problem: String,
}

impl fmt::Display for SettingsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the setting {} {}", self.setting, self.problem)
    }
}

impl std::error::Error for SettingsError {}
