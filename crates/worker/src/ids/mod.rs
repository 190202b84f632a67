//! Ids of tasks, files and results: sealed for their owner, unsealed for the upstream.

mod entry_ref;
mod foreign_ids;
mod medium_ref;
mod record_ids;
mod result_ref;
mod sealer;
mod served_file;
mod task_name;
mod task_ref;

pub(crate) use entry_ref::EntryRef;
pub(crate) use foreign_ids::{Named, is_same, named};
pub(crate) use medium_ref::MediumRef;
pub(crate) use record_ids::{has_few_ids, seal_ids, sealed_kind};
pub(crate) use result_ref::{ResultRef, address_outputs, records_of};
pub(crate) use sealer::MAX_SEALED_LEN;
pub use sealer::Sealer;
pub(crate) use served_file::{ModuleFile, ServedFile, StoredUpload};
pub(crate) use task_name::TaskName;
pub(crate) use task_ref::variant_of;
pub use task_ref::{Origin, TaskRef};
