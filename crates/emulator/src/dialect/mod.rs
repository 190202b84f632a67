//! Dialects: possible forms of everything that the upstream document does not show. The emulator
//! builds each response in the default form, and the dialect moves and renames its parts.
//!
//! The gateway reads dialects with code of its own, so that a mistake in either one shows in a
//! test.

mod check;
mod create;
mod document;
mod estimate;
mod models;
mod named;
mod paths;
mod place;
mod response;
mod seeded;
mod select;
mod states;
mod task;
mod upload;
mod upload_request;
mod upload_response;

pub use json_patch::jsonptr::{Pointer, PointerBuf};

pub use create::{CreateDialect, RegionForm, SizeForm};
pub use document::Dialect;
pub use estimate::EstimateDialect;
pub use models::{ModelsDialect, ValuesForm};
pub use named::{NAMED, NamedDialect};
pub use paths::PathsDialect;
pub(crate) use response::TaskResponse;
pub(crate) use select::help;
pub use states::StateWords;
pub use task::{Scale, TaskDialect};
pub use upload::{Transfer, UploadDialect};
pub use upload_request::{ProblemsForm, UploadRequestDialect};
pub(crate) use upload_response::IssuedUpload;
pub use upload_response::{Expiry, Extra, HeadersForm, UploadResponseDialect};
