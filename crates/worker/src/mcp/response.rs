//! The response to a request of the protocol.

use mediagate_core::Code;
use serde_json::Value;
use web_sys::ReadableStream;

/// The response to a request of the protocol.
pub(super) enum Response {
    /// A result, and its code in the log.
    Result(Value, Code),
    /// A stream of events, the last of which is the result.
    Stream(Option<ReadableStream>),
}

impl Response {
    pub(super) fn ok(result: Value) -> Self {
        Response::Result(result, Code::OK)
    }
}
