//! Requests to the upstream, and the meaning of its responses.
//!
//! [`Upstream`] has everything that an isolate needs for requests: settings, sealer, the host's
//! client and the circuit breaker. [`UpstreamClient`] sends requests on behalf of one subject.

mod assets;
mod breaker;
mod bucket_files;
mod catalogue;
mod client;
mod error;
mod form;
mod key_search;
mod media;
mod module;
mod poll;
mod record;
mod redact;
mod response;
mod storage;
mod submit;
mod upload_url;

pub(crate) use client::{Upstream, UpstreamClient};
pub(crate) use media::Medium;
#[cfg(test)]
pub(crate) use record::MAX_MEMBER_BYTES;
pub(crate) use record::{short_members, summary, write_eta, write_poll_after};
pub(crate) use storage::{StorageError, StorageUpload};
pub(crate) use submit::{CreateBody, MAX_TITLE_CHARS, Submission};
