//! Dialects: possible forms of everything that the upstream document does not show. A dialect is
//! data: templates of the responses, the names in requests, paths, and a few flags.
//! `default.json` is the default dialect, and each other dialect is a change of it.
//!
//! The gateway reads dialects with code of its own, so that a mistake in either one shows in a
//! test.

mod create;
mod document;
mod named;
mod response;
mod template;
mod upload;

pub use document::Dialect;
pub(crate) use named::help;
pub use named::{NAMED, NamedDialect};
pub(crate) use response::TaskResponse;
pub(crate) use upload::Transfer;
