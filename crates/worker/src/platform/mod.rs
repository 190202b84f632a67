//! The JavaScript host: clock, randomness, log, HTTP messages, JSON, and storage.
//!
//! It has the host functions that several modules share. A binding for one module is in that
//! module.

mod body_stream;
mod document;
mod host;
pub(crate) mod http;
mod incoming;
pub(crate) mod json;
mod memo;
mod objects;
mod open_objects;
pub mod panics;
pub(crate) mod storage;

pub(crate) use body_stream::body_stream;
pub(crate) use document::Document;
pub(crate) use host::{
    Counter, FetchResult, JsonClient, date, log, now_ms, peek, pipe, random, random_name,
    timestamp_ms,
};
pub(crate) use incoming::Incoming;
pub(crate) use memo::Memo;
pub(crate) use objects::{ObjectError, ask_object, fetch_object, read_message, respond};
pub use open_objects::note_open_objects;
pub(crate) use open_objects::{Priority, are_objects_bounded, are_objects_full, spaced};
