//! The JavaScript host: clock, randomness, log, HTTP messages, JSON, and storage.
//! Only what several modules share. A binding for one module is in that module.

#![allow(
    missing_docs,
    reason = "only crates of the gateway import this one: a name that says all needs no sentence"
)]

mod body_stream;
mod document;
mod host;
pub mod http;
pub mod json;
mod memo;
mod objects;
mod open_objects;
pub mod panics;
pub mod storage;

pub use body_stream::body_stream;
pub use document::Document;
pub use host::{
    Counter, FetchResult, JsonClient, date, discard, log, now_ms, peek, pipe, random, random_name,
    timestamp_ms,
};
pub use memo::Memo;
pub use objects::{ObjectError, ask_object, fetch_object, read_message};
pub use open_objects::{
    CreateUnderWay, Priority, are_objects_bounded, are_objects_full, are_objects_shared,
    note_create_arrival, note_open_objects, spaced,
};
