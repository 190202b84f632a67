mod connection;
mod envelope;
mod header;
mod problem;
mod refusal;

pub(crate) use connection::{ResetHandle, ResettableListener};
pub(crate) use envelope::{EnvelopeCode, enveloped, message_of};
pub(crate) use header::header_text;
pub(crate) use problem::Problem;
pub(crate) use refusal::{Refusal, status_of};
