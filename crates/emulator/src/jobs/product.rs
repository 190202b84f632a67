//! What a job returns.

use crate::{media::MediaError, storage::Content};

/// One result.
#[derive(Debug)]
pub(crate) struct Product {
    /// The bytes of the file.
    pub(crate) bytes: Vec<u8>,
    pub(crate) content: Content,
    /// In what way it is less than what was requested.
    pub(crate) note: Option<String>,
}

/// All results of a job, or why it failed.
pub(super) type JobResult = Result<Vec<Product>, MediaError>;

/// One result.
pub(super) fn one(bytes: Vec<u8>, content: Content) -> JobResult {
    Ok(vec![Product {
        bytes,
        content,
        note: None,
    }])
}

/// One result with a note.
pub(super) fn one_with_note(
    bytes: Vec<u8>,
    content: Content,
    note: impl Into<String>,
) -> JobResult {
    Ok(vec![Product {
        bytes,
        content,
        note: Some(note.into()),
    }])
}
