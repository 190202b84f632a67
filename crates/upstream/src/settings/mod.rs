//! The parts of the wire that the document leaves open, as settings, and the requests that follow
//! them.

mod confirm;
mod create;
mod document;
mod envelope;
mod error;
mod estimate;
mod members;
mod models;
mod path_segment;
mod pointers;
mod states;
mod status_path;
mod task;
mod upload;

pub use confirm::ConfirmDialect;
pub use create::{CreateDialect, RegionShape, SizeShape};
pub use document::Dialect;
pub use envelope::EnvelopeDialect;
pub(crate) use envelope::code_of;
pub use error::DialectError;
pub use estimate::EstimateDialect;
pub use models::ModelsDialect;
pub use path_segment::path_segment;
pub use pointers::Pointers;
pub use states::States;
pub use status_path::{check_status_path, status_path};
pub(crate) use task::STATE_PLACES;
pub use task::{CodeMeaning, TaskDialect};
pub use upload::{Sending, UploadDialect, UploadTarget};
