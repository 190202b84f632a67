//! The response to a JSON-RPC request.

use mediagate_core::Code;
use serde_json::Value;
use web_sys::ReadableStream;

/// The response to a JSON-RPC request.
pub(super) enum RpcResponse {
    /// A result, and the application code for the log.
    Result(Value, Code),
    /// A stream of events that ends with the result. `None` if the platform could not create it.
    Stream(Option<ReadableStream>),
}

impl RpcResponse {
    /// A result with the code 0.
    pub(super) fn ok(result: Value) -> Self {
        RpcResponse::Result(result, Code::OK)
    }
}
