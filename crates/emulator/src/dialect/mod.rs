//! Dialects: the forms of what the upstream document does not show. The emulator builds the default's values, and the
//! dialect puts them where it has them, under its names.
//!
//! The gateway reads dialects with code of its own, so that one mistake is not made twice.

mod check;
mod create;
mod document;
mod estimate;
mod models;
mod named;
mod names;
mod paths;
mod placing;
mod pointer;
mod response;
mod seeded;
mod select;
mod states;
mod task;
mod upload;
mod upload_request;
mod upload_response;

pub use create::{CreateDialect, RegionForm, SizeForm};
pub use document::Dialect;
pub use estimate::EstimateDialect;
pub use models::{ModelsDialect, ValuesForm};
pub use named::{NAMED, NamedDialect};
pub use paths::PathsDialect;
pub use pointer::Pointer;
pub(crate) use response::TaskResponse;
pub(crate) use select::help;
pub use states::StateWords;
pub use task::{Scale, TaskDialect};
pub use upload::{Transfer, UploadDialect};
pub use upload_request::{ProblemsForm, UploadRequestDialect};
pub(crate) use upload_response::IssuedUpload;
pub use upload_response::{Expiry, Extra, HeadersForm, UploadResponseDialect};
