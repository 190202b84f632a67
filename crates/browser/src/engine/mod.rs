//! What the client does, over JavaScript's values and promises, without a word about bindings.

pub mod client;
pub mod error;
pub mod gateway;
pub mod host;
pub mod input;
pub mod limits;
pub mod places;
pub mod session;
pub mod shared;
pub mod snapshot;
pub mod source;
pub mod stream;
pub mod task;
pub mod transport;
pub mod uploads;
