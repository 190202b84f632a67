//! The catalogue as JSON Schema 2020-12, for whatever is told what a request may be: OpenAPI, tools for agents, forms.
//!
//! Each function makes one schema that stands on its own: no reference, no `$schema`, no `$id`, so that it can be put
//! anywhere. Needs the features `docs` and `serde_json`.
//!
//! What the schema of a request accepts, [`crate::validate()`] accepts, and the other way round, but for the one rule that
//! JSON Schema has no word for: that a segment, and a range of pages, ends after it starts.

mod input;
mod patterns;
mod response;

pub use input::{example, input, upload, upload_example};
pub use response::{created, envelope, issue, output, sealed_id, task};

/// Whose ids a request names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ids {
    /// The service's own, of which nothing is known.
    Raw,
    /// The gateway's: files are opaque ids, sealed to the caller they were given to. An asset may also be a public one,
    /// whose id is the service's own.
    Sealed,
}

/// Shortest and longest sealed id, in characters: the first is 16 bytes of authentication and one of an id, in base64url;
/// more than the second the gateway does not look at.
pub const SEALED_LENGTH: [usize; 2] = [23, 8192];

/// Every character of a sealed id.
pub const SEALED_PATTERN: &str = "^[A-Za-z0-9_-]+$";

/// What a sealed id looks like.
pub const SEALED_EXAMPLE: &str = "q8X2mT0vN4eJrY6bKpWcZ1uHsD7fGaLo";
