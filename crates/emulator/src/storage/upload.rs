//! Upload URLs (§4.1).

use std::{collections::BTreeMap, path::PathBuf};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// An upload URL that was issued. This is also the record on disk.
#[derive(Serialize, Deserialize)]
pub(super) struct Upload {
    /// The secret last part of the URL.
    pub(super) token: String,
    /// The id that the file will have.
    pub(super) file_id: String,
    /// The terms of the request with the bytes.
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
    /// Required headers with their values.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) headers: BTreeMap<String, String>,
    /// Required form fields with their values.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) fields: BTreeMap<String, String>,
}

/// The progress of an upload.
#[derive(PartialEq, Serialize, Deserialize)]
pub(super) enum UploadState {
    Waiting,
    /// A request is sending the bytes. This state is never written to disk, so an upload that a
    /// restart interrupts can be sent again.
    Receiving,
    Done,
    /// A request has confirmed the file.
    Confirmed,
}

/// The decision about a request to an upload URL.
#[derive(Debug, PartialEq)]
pub(crate) enum UploadClaim {
    /// If the request meets the terms, the bytes go to `part`, which is then renamed to `path`.
    Send {
        part: PathBuf,
        path: PathBuf,
        terms: UploadTerms,
    },
    /// The URL was never issued.
    Unknown,
    /// The URL has expired.
    Expired,
    /// The URL was used, or another request is using it.
    Used,
}
