//! What the client does, over JavaScript's values and promises, without a word about bindings.

pub mod answer;
pub mod client;
pub mod error;
pub mod gateway;
pub mod host;
pub mod http;
pub mod input;
pub mod limits;
pub mod put;
pub mod session;
pub mod shared;
pub mod snapshot;
pub mod storage;
pub mod task;
pub mod uploads;
