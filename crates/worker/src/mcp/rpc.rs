//! JSON-RPC 2.0, as far as the protocol uses it: one message per request, and ids that are strings
//! or whole numbers.

use serde_json::{Map, Value, json};

/// The body is not JSON.
pub(super) const PARSE_ERROR: i32 = -32700;
/// The body is not a message.
pub(super) const INVALID_REQUEST: i32 = -32600;
/// The method does not exist.
pub(super) const METHOD_NOT_FOUND: i32 = -32601;
/// The method's parameters are invalid.
pub(super) const INVALID_PARAMS: i32 = -32602;
/// The gateway or the upstream failed.
pub(super) const INTERNAL_ERROR: i32 = -32603;
/// A header is missing or differs from the body.
pub(super) const HEADER_MISMATCH: i32 = -32020;
/// The request requires a capability that the client has not declared.
pub(super) const MISSING_CAPABILITY: i32 = -32021;
/// The version is not supported.
pub(super) const UNSUPPORTED_VERSION: i32 = -32022;

/// The maximum length of an id or a progress token, in bytes. Every message about a request repeats
/// them.
const MAX_ID_LEN: usize = 1024;

/// A client's message.
#[derive(Debug, PartialEq)]
pub(super) enum Message {
    /// Expects a response.
    Request(RpcRequest),
    /// Expects no response.
    Notification,
    /// Responds to a request. The gateway sends no requests.
    Response,
}

/// A request.
#[derive(Debug, PartialEq)]
pub(super) struct RpcRequest {
    /// The response repeats it.
    pub(super) id: Value,
    pub(super) method: String,
    pub(super) params: Map<String, Value>,
}

/// A JSON-RPC error.
#[derive(Debug, PartialEq)]
pub(super) struct RpcError {
    pub(super) code: i32,
    pub(super) message: String,
    pub(super) data: Option<Value>,
}

impl RpcError {
    /// Makes an error. `message` says what is wrong and what to do.
    pub(super) fn new(code: i32, message: impl Into<String>) -> Self {
        RpcError {
            code,
            message: message.into(),
            data: None,
        }
    }

    /// Adds `data`, for programs.
    pub(super) fn with(self, data: Value) -> Self {
        RpcError {
            data: Some(data),
            ..self
        }
    }
}

/// Reads a message.
///
/// # Errors
/// The error, and the id of the message if it is valid.
pub(super) fn read(body: Value) -> Result<Message, (Option<Value>, RpcError)> {
    let invalid =
        |id: Option<Value>, message: &str| Err((id, RpcError::new(INVALID_REQUEST, message)));
    let mut members = match body {
        Value::Object(members) => members,
        Value::Array(_) => {
            return invalid(
                None,
                "batches are not supported; send each message in its own request",
            );
        }
        _ => return invalid(None, "the body is not a JSON-RPC message; send an object"),
    };
    let has_id = members.contains_key("id");
    let id = members.remove("id").filter(is_id);
    if members
        .get("jsonrpc")
        .is_none_or(|version| version != "2.0")
    {
        return invalid(
            id,
            "the message is not JSON-RPC 2.0; set jsonrpc to \"2.0\"",
        );
    }
    let method = match members.remove("method") {
        Some(Value::String(method)) => method,
        None if members.contains_key("result") || members.contains_key("error") => {
            return Ok(Message::Response);
        }
        _ => return invalid(id, "the message has no method; give one, as a string"),
    };
    let params = match members.remove("params") {
        None => Map::new(),
        Some(Value::Object(params)) => params,
        Some(_) => return Err((id, RpcError::new(INVALID_PARAMS, "params is not an object"))),
    };
    match id {
        Some(id) => Ok(Message::Request(RpcRequest { id, method, params })),
        None if has_id => invalid(
            None,
            "the id is not a string or whole number of at most 1024 bytes",
        ),
        None => Ok(Message::Notification),
    }
}

/// Returns true if a value is a string or a whole number of at most [`MAX_ID_LEN`] bytes. A number
/// may have any precision, because it is only repeated.
pub(super) fn is_id(id: &Value) -> bool {
    // The value is a JSON number already, so a whole one has only digits and a sign.
    let is_whole = |digits: &str| {
        digits
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'-')
    };
    match id {
        Value::String(text) => text.len() <= MAX_ID_LEN,
        Value::Number(number) => number.as_str().len() <= MAX_ID_LEN && is_whole(number.as_str()),
        _ => false,
    }
}

/// The response to a request that succeeded.
pub(super) fn result(id: &Value, result: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "result": result})
}

/// The response to a request that failed, without an id if the request has no valid one.
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

/// A notification about a request in progress.
pub(super) fn notification(method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "method": method, "params": params})
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The code of the error, and the id of the message.
    fn error_of(text: Value) -> (i32, Option<Value>) {
        let (id, error) = read(text).expect_err("an error");
        (error.code, id)
    }

    #[test]
    fn requests_notifications_and_responses_are_distinguished() {
        let request = read(json!({"jsonrpc": "2.0", "id": "a", "method": "m", "params": {"b": 1}}))
            .expect("a request");
        let params = Map::from_iter([("b".to_owned(), json!(1))]);
        assert_eq!(
            request,
            Message::Request(RpcRequest {
                id: json!("a"),
                method: "m".into(),
                params
            })
        );
        assert_eq!(
            read(json!({"jsonrpc": "2.0", "method": "m"})),
            Ok(Message::Notification)
        );
        assert_eq!(
            read(json!({"jsonrpc": "2.0", "id": 1, "result": {}})),
            Ok(Message::Response)
        );
        assert_eq!(
            read(json!({"jsonrpc": "2.0", "error": {}})),
            Ok(Message::Response)
        );
    }

    #[test]
    fn an_invalid_message_is_refused_with_its_id() {
        for text in [
            json!([]),
            json!([{"jsonrpc": "2.0", "id": 1, "method": "ping"}]),
            json!(null),
            json!("ping"),
        ] {
            assert_eq!(error_of(text), (INVALID_REQUEST, None));
        }
        assert_eq!(
            error_of(json!({"id": 1, "method": "m"})),
            (INVALID_REQUEST, Some(json!(1)))
        );
        assert_eq!(
            error_of(json!({"jsonrpc": "1.0", "id": 1, "method": "m"})),
            (INVALID_REQUEST, Some(json!(1)))
        );
        assert_eq!(
            error_of(json!({"jsonrpc": "2.0", "id": 1})),
            (INVALID_REQUEST, Some(json!(1)))
        );
        assert_eq!(
            error_of(json!({"jsonrpc": "2.0", "id": 1, "method": 5})),
            (INVALID_REQUEST, Some(json!(1)))
        );
        for id in [json!(null), json!(1.5), json!([]), json!({}), json!(true)] {
            assert_eq!(
                error_of(json!({"jsonrpc": "2.0", "id": id, "method": "m"})),
                (INVALID_REQUEST, None)
            );
        }
        for params in [json!([]), json!("a"), json!(null)] {
            let message = json!({"jsonrpc": "2.0", "id": 7, "method": "m", "params": params});
            assert_eq!(error_of(message), (INVALID_PARAMS, Some(json!(7))));
        }
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
        let long = json!({"jsonrpc": "2.0", "id": "x".repeat(MAX_ID_LEN + 1), "method": "m"});
        assert_eq!(error_of(long), (INVALID_REQUEST, None));
    }

    #[test]
    fn an_error_without_an_id_has_no_member_of_that_name() {
        let message = error(None, RpcError::new(PARSE_ERROR, "p"));
        assert_eq!(
            message,
            json!({"jsonrpc": "2.0", "error": {"code": -32700, "message": "p"}})
        );
    }
}
