//! The results of a job.

use crate::{media::MediaError, storage::Content};

/// One result of a job.
#[derive(Debug)]
pub(crate) struct Product {
    /// The bytes of the file.
    pub(crate) bytes: Vec<u8>,
    pub(crate) content: Content,
    /// A sentence on how the result falls short of the request.
    pub(crate) note: Option<String>,
}

/// All results of a job, or the reason of its failure.
pub(super) type JobResult = Result<Vec<Product>, MediaError>;

/// Returns one result without a note.
pub(super) fn one(bytes: Vec<u8>, content: Content) -> JobResult {
    Ok(vec![Product {
        bytes,
        content,
        note: None,
    }])
}

/// Returns one result with a note.
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
