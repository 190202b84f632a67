//! Upload URLs (§4.1).

use std::path::PathBuf;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// An upload URL that was issued. This is also the record on disk.
#[derive(Serialize, Deserialize)]
pub(super) struct Upload {
    /// The secret last part of the URL.
    pub(super) token: String,
    /// The id that the file will have.
    pub(super) file_id: String,
    /// The announced size in bytes.
    pub(super) size: u64,
    pub(super) expires: Timestamp,
    pub(super) state: UploadState,
}

/// How far an upload is.
#[derive(PartialEq, Serialize, Deserialize)]
pub(super) enum UploadState {
    Waiting,
    /// Never written to disk: an upload that a restart interrupts can be sent again.
    Receiving,
    Done,
}

/// What a request to an upload URL may do.
#[derive(Debug, PartialEq)]
pub(crate) enum UploadClaim {
    /// Write `size` bytes to `part`, then rename it to `path`.
    Send { part: PathBuf, path: PathBuf, size: u64 },
    /// Nothing: the URL was never issued.
    Unknown,
    /// Nothing: the URL has expired.
    Expired,
    /// Nothing: the URL was used, or another request is using it.
    Used,
}
