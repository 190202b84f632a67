//! A string that must not be seen.

use std::fmt;

/// Holds a key; prints as `[secret]`, and gives its text to [`Secret::expose`] alone.
#[derive(Clone)]
pub struct Secret(String);

impl Secret {
    /// Takes a key into custody.
    pub fn new(text: impl Into<String>) -> Self {
        Secret(text.into())
    }

    /// The key itself, for the one place that needs it.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[secret]")
    }
}
