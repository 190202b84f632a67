//! The description of the media service ("upstream" in code) that the gateway, the client, the
//! emulator and every generator share.
//!
//! Everything here is data or a pure function: no I/O, no clock, no randomness, no wasm. Validation
//! and decoding are generic over the small [`Value`] trait, so that the client reads the browser's
//! own values and ships no JSON library. Sections (§) refer to the upstream document.

#![no_std]

extern crate alloc;

mod capabilities;
mod capability;
pub mod claims;
mod code;
mod envelope;
pub mod events;
mod field;
pub mod grammar;
pub mod ids;
pub mod lifetime;
#[cfg(feature = "serde_json")]
pub mod models;
mod reason;
mod reference;
pub mod response;
pub mod schedule;
pub mod scope;
mod suggest;
mod task;
pub mod text;
mod uploads;
mod validate;
mod value;

pub use capabilities::{CAPABILITIES, by_path, find, nearest_capability};
#[cfg(feature = "docs")]
pub use capability::EXTENSION_NOTE;
pub use capability::{Capability, Group, PREFIX};
pub use code::{Code, Outcome};
pub use envelope::Envelope;
pub use field::{AssetCategory, Field, FileKind, Kind, MAX_SIZE};
pub use reason::{OUTCOME_UNKNOWN, Part, Reason};
pub use reference::{Reference, fits, is_url};
pub use response::{DecodedResponse, Expects, MissingPart, Unreadable};
pub use task::{
    CANCELLED, DecodedTask, EXPIRED, FAILED, PIPELINE_TERMINAL, SUCCEEDED, TERMINAL, fraction,
    is_terminal,
};
pub use uploads::{MAX_TYPE_BYTES, RESERVED_HEADERS, UPLOAD_FIELDS, validate_upload};
pub use validate::{
    Issue, IssueReason, MAX_ISSUES, Severity, code_of, is_valid, path_of, validate,
    validate_fields, validate_strictly, without_output,
};
#[cfg(feature = "serde_json")]
pub use value::object;
pub use value::{Type, Value};
