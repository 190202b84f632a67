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
    /// What the request with the bytes must have.
    #[serde(flatten)]
    pub(super) terms: UploadTerms,
    pub(super) expires: Timestamp,
    pub(super) state: UploadState,
}

/// What the request with the bytes must have.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct UploadTerms {
    /// The announced size in bytes; `None`: any.
    pub(crate) size: Option<u64>,
    /// Headers with these values.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) headers: BTreeMap<String, String>,
    /// Form fields with these values.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) fields: BTreeMap<String, String>,
}

/// How far an upload is.
#[derive(PartialEq, Serialize, Deserialize)]
pub(super) enum UploadState {
    Waiting,
    /// Never written to disk: an upload that a restart interrupts can be sent again.
    Receiving,
    Done,
    /// A request has confirmed the file.
    Confirmed,
}

/// What a request to an upload URL may do.
#[derive(Debug, PartialEq)]
pub(crate) enum UploadClaim {
    /// Write the bytes to `part`, where the request meets the terms, then rename it to `path`.
    Send {
        part: PathBuf,
        path: PathBuf,
        terms: UploadTerms,
    },
    /// Nothing: the URL was never issued.
    Unknown,
    /// Nothing: the URL has expired.
    Expired,
    /// Nothing: the URL was used, or another request is using it.
    Used,
}
