//! JSON-RPC 2.0, as far as the protocol uses it: one message per request, and ids that are strings
//! or whole numbers.

pub(super) use mediagate_access::refusal::rpc::{
    INTERNAL_ERROR, INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND,
};
use mediagate_core::{Code, object};
use serde_json::{Map, Value, json};
use web_sys::ReadableStream;

/// A header is missing or differs from the body.
pub(super) const HEADER_MISMATCH: i32 = -32020;
/// The request requires a capability that the client has not declared.
pub(super) const MISSING_CAPABILITY: i32 = -32021;
pub(super) const UNSUPPORTED_VERSION: i32 = -32022;

/// The longest id or progress token, in bytes. Every message about a request repeats them.
const MAX_ID_LEN: usize = 1024;

pub(super) enum Message {
    Request(RpcRequest),
    Notification,
    /// A response to a request. The gateway sends no requests.
    Response,
}

pub(super) struct RpcRequest {
    /// The response repeats it.
    pub(super) id: Value,
    pub(super) method: String,
    pub(super) params: Map<String, Value>,
}

pub(super) struct RpcError {
    pub(super) code: i32,
    pub(super) message: String,
    pub(super) data: Option<Value>,
}

impl RpcError {
    pub(super) fn new(code: i32, message: impl Into<String>) -> Self {
        RpcError {
            code,
            message: message.into(),
            data: None,
        }
    }

    pub(super) fn params(message: impl Into<String>) -> Self {
        RpcError::new(INVALID_PARAMS, message)
    }

    pub(super) fn with(self, data: Value) -> Self {
        RpcError {
            data: Some(data),
            ..self
        }
    }
}

pub(super) enum RpcResponse {
    /// A result, with the application code for the log.
    Result(Value, Code),
    /// A stream that ends with the result. `None` if the platform could not create it.
    Stream(Option<ReadableStream>),
}

impl RpcResponse {
    pub(super) fn ok(result: Value) -> Self {
        RpcResponse::Result(result, Code::OK)
    }
}

/// Reads a message. An error has the id of the message if it is valid.
pub(super) fn read(message: Value) -> Result<Message, (Option<Value>, RpcError)> {
    let Value::Object(mut members) = message else {
        return invalid(None, "this is not a JSON-RPC message; send an object");
    };
    let stated = members.remove("id");
    let is_null = stated == Some(Value::Null);
    let has_id = stated.is_some();
    let id = stated.filter(is_id);
    if members.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        let message = "the message is not JSON-RPC 2.0; set jsonrpc to \"2.0\"";
        return invalid(id, message);
    }
    let method = match members.remove("method") {
        Some(Value::String(method)) => method,
        None if members.contains_key("result") || members.contains_key("error") => {
            return Ok(Message::Response);
        }
        _ => return invalid(id, "the message has no method; give one, as a string"),
    };
    let params = match members.remove("params") {
        None | Some(Value::Null) => Map::new(),
        Some(Value::Object(params)) => without_nulls(params),
        Some(_) => return Err((id, RpcError::params("params is not an object"))),
    };
    match id {
        Some(id) => Ok(Message::Request(RpcRequest { id, method, params })),
        None if is_null && method.starts_with("notifications/") => Ok(Message::Notification),
        None if has_id => {
            let message = "the id is not a string or whole number of at most 1024 bytes";
            invalid(None, message)
        }
        None => Ok(Message::Notification),
    }
}

fn invalid(id: Option<Value>, message: &str) -> Result<Message, (Option<Value>, RpcError)> {
    Err((id, RpcError::new(INVALID_REQUEST, message)))
}

/// Removes the members that are `null`, at every depth. Many programs write `null` for a member
/// that they leave out, and no method or tool gives it another meaning.
fn without_nulls(members: Map<String, Value>) -> Map<String, Value> {
    let present = members.into_iter().filter(|(_, value)| !value.is_null());
    object(present.map(|(name, value)| (name, cleaned(value))))
}

fn cleaned(value: Value) -> Value {
    match value {
        Value::Object(members) => Value::Object(without_nulls(members)),
        Value::Array(items) => items.into_iter().map(cleaned).collect(),
        other => other,
    }
}

/// Returns true for a string or a whole number of at most [`MAX_ID_LEN`] bytes. A number may have
/// any precision, because it is only repeated.
pub(super) fn is_id(id: &Value) -> bool {
    match id {
        Value::String(text) => text.len() <= MAX_ID_LEN,
        Value::Number(number) => {
            // The value is a JSON number already, so a whole one has only digits and a sign.
            let mut bytes = number.as_str().bytes();
            bytes.len() <= MAX_ID_LEN && bytes.all(|byte| byte.is_ascii_digit() || byte == b'-')
        }
        _ => false,
    }
}

pub(super) fn result(id: &Value, result: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "result": result})
}

pub(super) fn error(id: Option<&Value>, error: RpcError) -> Value {
    let mut body = json!({"code": error.code, "message": error.message});
    if let Some(data) = error.data {
        body["data"] = data;
    }
    let mut message = json!({"jsonrpc": "2.0", "error": body});
    if let Some(id) = id {
        message["id"] = id.clone();
    }
    message
}

pub(super) fn notification(method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "method": method, "params": params})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_member_that_is_null_is_absent() {
        let read = |message: Value| match read(message) {
            Ok(Message::Request(request)) => Value::Object(request.params),
            _ => panic!("no request"),
        };
        let request =
            |params: Value| json!({"jsonrpc": "2.0", "id": 1, "method": "m", "params": params});
        assert_eq!(read(request(json!(null))), json!({}));
        let params = json!({
            "_meta": null,
            "arguments": {"a": null, "list": [null, {"b": null, "c": 0}], "d": false},
        });
        let expected = json!({"arguments": {"list": [null, {"c": 0}], "d": false}});
        assert_eq!(read(request(params)), expected);
    }

    #[test]
    fn ids_are_strings_and_whole_numbers() {
        let id = |text: &str| is_id(&serde_json::from_str(text).expect(text));
        for text in [
            "0",
            "-1",
            "18446744073709551616000",
            "-9223372036854775809",
            "\"\"",
            "\"1.5\"",
        ] {
            assert!(id(text), "{text}");
        }
        for text in ["1.5", "1e3", "1.0", "null", "true", "[]", "{}"] {
            assert!(!id(text), "{text}");
        }
        for (length, valid) in [(MAX_ID_LEN, true), (MAX_ID_LEN + 1, false)] {
            assert_eq!(
                (is_id(&json!("x".repeat(length))), id(&"7".repeat(length))),
                (valid, valid),
                "{length}"
            );
        }
    }
}
