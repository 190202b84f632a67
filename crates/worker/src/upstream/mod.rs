//! Requests to the upstream, and the meaning of its responses.
//!
//! [`Upstream`] has everything that an isolate needs for requests: settings, sealer, transport and
//! circuit breaker. [`UpstreamClient`] sends requests on behalf of one subject.

mod assets;
mod breaker;
mod catalogue;
mod catalogue_cache;
mod client;
mod confirm;
mod context;
mod create_body;
mod create_outcome;
mod error;
mod eta;
mod fetch_data;
mod form;
mod key_search;
mod media;
mod poll;
mod record;
mod redact;
mod response;
mod storage;
mod submit;
mod summary;
mod transport;
mod upload_url;

pub(crate) use client::UpstreamClient;
pub(crate) use context::Upstream;
pub(crate) use create_body::{CreateBody, MAX_TITLE_CHARS};
pub(crate) use create_outcome::CreateOutcome;
pub(crate) use eta::{write_eta, write_poll_after};
pub(crate) use media::Medium;
pub(crate) use record::TaskRecord;
pub(crate) use storage::{StorageError, StorageUpload};
pub(crate) use submit::Submission;
pub(crate) use summary::summary;
