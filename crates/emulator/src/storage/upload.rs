use std::{collections::BTreeMap, path::PathBuf};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// An upload URL that was issued. This is also the record on disk.
#[derive(Serialize, Deserialize)]
pub(super) struct StoredUpload {
    /// The secret last part of the URL.
    pub(super) token: String,
    /// The id that the file will have.
    pub(super) file_id: String,
    #[serde(flatten)]
    pub(super) terms: UploadTerms,
    pub(super) expires: Timestamp,
    pub(super) state: UploadState,
}

/// The requirements on the request with the bytes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct UploadTerms {
    /// The announced size in bytes.
    pub(crate) size: u64,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) headers: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) fields: BTreeMap<String, String>,
}

#[derive(PartialEq, Serialize, Deserialize)]
pub(super) enum UploadState {
    Waiting,
    /// A request is sending the bytes. This state is never written to disk, so an upload that a
    /// restart interrupts can be sent again.
    Receiving,
    Done,
    Confirmed,
}

#[derive(Debug, PartialEq)]
pub(crate) enum UploadClaim {
    /// If the request meets the terms, the bytes go to `part`, which is then renamed to `path`.
    Send {
        part: PathBuf,
        path: PathBuf,
        terms: UploadTerms,
    },
    Unknown,
    Expired,
    /// The URL was used, or another request is using it.
    Used,
}
