mod content;
mod directory;
mod files;
mod objects;
mod records;
mod upload;

pub(crate) use content::Content;
pub(crate) use directory::DataDirectory;
pub(crate) use files::{Files, StoredFile};
pub(crate) use objects::Objects;
pub(crate) use records::RecordStore;
pub(crate) use upload::{UploadClaim, UploadTerms};
