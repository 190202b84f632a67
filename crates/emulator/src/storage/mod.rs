//! What is on disk, in the directory of the emulator: uploaded files, results, and records that survive a restart.

mod content;
mod directory;
mod files;
mod records;
mod upload;

pub(crate) use content::Content;
pub(crate) use directory::DataDirectory;
pub(crate) use files::{Files, StoredFile};
pub(crate) use records::RecordStore;
pub(crate) use upload::{UploadClaim, UploadTerms};
