//! Ids of tasks, files and results: sealed for their owner, unsealed for the upstream.

#![allow(
    missing_docs,
    reason = "only crates of the gateway import this one: a name that says all needs no sentence"
)]

mod entry_ref;
mod foreign_ids;
mod medium_ref;
mod record_ids;
mod result_ref;
mod sealer;
mod served_file;
mod task_name;
mod task_ref;

pub use entry_ref::EntryRef;
pub use foreign_ids::{Named, is_same, named};
pub use medium_ref::MediumRef;
pub(crate) use record_ids::sealed_kind;
pub use record_ids::{has_few_ids, seal_ids};
pub use result_ref::{ResultRef, address_outputs, records_of};
pub use sealer::MAX_SEALED_LEN;
pub use sealer::Sealer;
pub use served_file::{ModuleFile, ServedFile, StoredUpload};
pub use task_name::TaskName;
pub use task_ref::variant_of;
pub use task_ref::{Origin, TaskRef};
