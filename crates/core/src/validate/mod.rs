//! One validator for every capability, which walks the description and the value together.
//!
//! It refuses only what the document forbids. A doubtful value is a warning.

mod check;
mod issue;
mod path;
mod request;

pub(crate) use check::Check;
pub use issue::{Issue, IssueReason, MAX_ISSUES, Severity, code_of, is_valid};
pub(crate) use path::Path;
pub use request::{path_of, validate, validate_fields, validate_strictly, without_output};
