//! The dialect: the parts of the upstream's wire that the document does not show, as data.
//!
//! The gateway writes requests and reads responses by a dialect. The default reads the likely
//! shapes. A JSON document with the members of [`Dialect`] overrides any part of it.

mod catalogue;
mod confirm;
mod create;
mod document;
mod envelope;
mod error;
mod estimate;
mod failure;
mod inline;
mod json;
mod models;
mod path_segment;
mod pointers;
mod response;
mod states;
mod status_path;
mod task;
mod template;
mod upload;

pub use catalogue::{Catalogue, Exclusion};
pub use confirm::ConfirmDialect;
pub use create::{CreateDialect, RegionShape, SizeShape};
pub use document::Dialect;
pub use envelope::EnvelopeDialect;
pub use error::DialectError;
pub use estimate::EstimateDialect;
pub use inline::{InlineMedium, inline_medium, shown_type};
pub use json::parse_json;
pub use models::{ModelsDialect, capability_named};
pub use path_segment::path_segment;
pub use pointers::Pointers;
pub use response::{Decoded, Reading, TaskError};
pub use states::States;
pub use status_path::{check_status_path, status_path};
pub use task::TaskDialect;
pub use template::Template;
pub use upload::{Sending, Upload, UploadDialect};
