//! Requests to the upstream, and the meaning of its responses.
//!
//! [`Upstream`] has everything that an isolate needs for requests: settings, sealer, the host's
//! client and the circuit breaker. [`UpstreamClient`] sends requests on behalf of one subject.

#![allow(
    missing_docs,
    reason = "only crates of the gateway import this one: a name that says all needs no sentence"
)]

mod assets;
mod breaker;
mod bucket_files;
mod catalogue;
mod client;
mod environment;
mod error;
mod form;
mod key_search;
mod media;
pub mod media_type;
mod module;
mod poll;
mod record;
mod redact;
mod response;
mod storage;
mod submit;
mod upload_url;

pub use client::{Upstream, UpstreamClient};
pub use media::Medium;
pub use record::{MAX_MEMBER_BYTES, short_members, summary, write_eta, write_poll_after};
pub use storage::{StorageError, StorageUpload};
pub use submit::{CreateBody, MAX_TITLE_CHARS, Submission};
