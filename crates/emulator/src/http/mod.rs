//! Responses in the envelope (§2), error responses (§7), and connections that can be reset.

mod connection;
mod envelope;
mod problem;
mod refusal;

pub(crate) use connection::{ResetHandle, ResettableListener};
pub(crate) use envelope::{EnvelopeCode, enveloped, message_of};
pub(crate) use problem::Problem;
pub(crate) use refusal::{Refusal, status_of};
