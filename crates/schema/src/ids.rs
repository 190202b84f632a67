//! Ids in schemas.

use serde_json::{Value, json};

/// Whose ids a request contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ids {
    /// Upstream's own ids, whose form is not documented.
    Raw,
    /// The gateway's: files are sealed ids, each for one caller. An asset may also be a public one, whose id is upstream's
    /// own.
    Sealed,
}

/// The minimum and maximum length of a sealed id, in characters. The minimum is 16 bytes of authentication and one byte
/// of an id, in base64url; the gateway does not read longer ones than the maximum.
pub const SEALED_LENGTH: [usize; 2] = [23, 8192];

/// Matches a string of the characters that a sealed id may have.
pub const SEALED_PATTERN: &str = "^[A-Za-z0-9_-]+$";

/// A string in the form of a sealed id.
pub const SEALED_EXAMPLE: &str = "q8X2mT0vN4eJrY6bKpWcZ1uHsD7fGaLo";

/// A sealed id.
pub fn sealed_id() -> Value {
    let [min, max] = SEALED_LENGTH;
    json!({"type": "string", "pattern": SEALED_PATTERN, "minLength": min, "maxLength": max})
}
