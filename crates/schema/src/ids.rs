use serde_json::{Value, json};

/// The origin of the ids in a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ids {
    /// Upstream's own ids, whose form is not documented.
    Raw,
    /// A file has a sealed id, which is valid for one caller. An asset may also be a public one,
    /// which has upstream's own id.
    Sealed,
}

/// A string in the form of a sealed id.
pub const SEALED_EXAMPLE: &str = "q8X2mT0vN4eJrY6bKpWcZ1uHsD7fGaLo";

/// Returns the schema of a sealed id. The minimum is 16 bytes of authentication and one byte of an
/// id, in base64url. The gateway does not read longer ids than the maximum.
pub fn sealed_id() -> Value {
    json!({"type": "string", "pattern": "^[A-Za-z0-9_-]+$", "minLength": 23, "maxLength": 8192})
}
