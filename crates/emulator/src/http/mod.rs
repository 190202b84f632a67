//! Responses in the envelope (§2), error responses (§7), and connections that can be reset.

mod connection;
mod envelope;
mod refusal;

pub(crate) use connection::{ResetHandle, ResettableListener};
pub(crate) use envelope::{EnvelopeCode, envelope, ok};
pub(crate) use refusal::{Refusal, status_of};
