use crate::{media::MediaError, storage::Content};

#[derive(Debug)]
pub(crate) struct Product {
    pub(crate) bytes: Vec<u8>,
    pub(crate) content: Content,
    /// A sentence on how the result falls short of the request.
    pub(crate) note: Option<String>,
}

pub(super) type JobResult = Result<Vec<Product>, MediaError>;

pub(super) fn one(bytes: Vec<u8>, content: Content) -> JobResult {
    Ok(vec![Product {
        bytes,
        content,
        note: None,
    }])
}

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
