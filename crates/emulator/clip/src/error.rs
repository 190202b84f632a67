/// The reason why a clip could not be encoded, as a sentence.
#[derive(Debug, thiserror::Error)]
#[error("the clip could not be encoded: {0}")]
pub struct ClipError(pub(crate) String);
