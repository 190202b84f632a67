//! JSON-RPC 2.0, as far as the protocol uses it: one message a request, ids that are strings or whole numbers.

use serde_json::{Map, Value, json};

/// The text was no JSON.
pub(super) const PARSE_ERROR: i32 = -32700;
/// It was JSON, and no message.
pub(super) const INVALID_REQUEST: i32 = -32600;
/// There is no such method.
pub(super) const METHOD_NOT_FOUND: i32 = -32601;
/// The method's parameters are wrong.
pub(super) const INVALID_PARAMS: i32 = -32602;
/// The gateway or the service failed.
pub(super) const INTERNAL_ERROR: i32 = -32603;
/// A header says something else than the body.
pub(super) const HEADER_MISMATCH: i32 = -32020;
/// The request needs something that the client has not declared.
pub(super) const MISSING_CAPABILITY: i32 = -32021;
/// The revision is not served.
pub(super) const UNSUPPORTED_VERSION: i32 = -32022;

/// A message of a client.
#[derive(Debug, PartialEq)]
pub(super) enum Message {
    /// Wants an answer.
    Request(Request),
    /// Wants none.
    Notification,
    /// Answers what nobody asked: the gateway never does.
    Response,
}

/// A request.
#[derive(Debug, PartialEq)]
pub(super) struct Request {
    /// What the answer repeats.
    pub(super) id: Value,
    pub(super) method: String,
    pub(super) params: Map<String, Value>,
}

/// Why a request has no result.
#[derive(Debug, PartialEq)]
pub(super) struct Error {
    pub(super) code: i32,
    pub(super) message: String,
    pub(super) data: Option<Value>,
}

impl Error {
    pub(super) fn new(code: i32, message: impl Into<String>) -> Self {
        Error { code, message: message.into(), data: None }
    }

    /// The same with something for programs.
    pub(super) fn with(self, data: Value) -> Self {
        Error { data: Some(data), ..self }
    }
}

/// Reads a message; an error comes with the id that it answers, where one can be read.
pub(super) fn read(text: Value) -> Result<Message, (Option<Value>, Error)> {
    let invalid = |id: Option<Value>, message: &str| Err((id, Error::new(INVALID_REQUEST, message)));
    let mut members = match text {
        Value::Object(members) => members,
        Value::Array(_) => return invalid(None, "batches are not taken; send each message as a request of its own"),
        _ => return invalid(None, "the body is no JSON-RPC message; send an object"),
    };
    let has_id = members.contains_key("id");
    let id = members.remove("id").filter(is_id);
    if members.get("jsonrpc").is_none_or(|it| it != "2.0") {
        return invalid(id, "the message is not of JSON-RPC 2.0; give jsonrpc the value \"2.0\"");
    }
    let method = match members.remove("method") {
        Some(Value::String(method)) => method,
        None if members.contains_key("result") || members.contains_key("error") => return Ok(Message::Response),
        _ => return invalid(id, "the message names no method"),
    };
    let params = match members.remove("params") {
        None => Map::new(),
        Some(Value::Object(params)) => params,
        Some(_) => return Err((id, Error::new(INVALID_PARAMS, "params is no object"))),
    };
    match id {
        Some(id) => Ok(Message::Request(Request { id, method, params })),
        None if has_id => invalid(None, "the id is neither a string nor a whole number"),
        None => Ok(Message::Notification),
    }
}

fn is_id(id: &Value) -> bool {
    id.is_string() || id.is_i64() || id.is_u64()
}

/// The answer to a request that succeeded.
pub(super) fn result(id: &Value, result: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "result": result})
}

/// The answer to one that did not; without an id where none could be read.
pub(super) fn error(id: Option<&Value>, error: Error) -> Value {
    let mut said = json!({"code": error.code, "message": error.message});
    if let Some(data) = error.data {
        said["data"] = data;
    }
    let mut message = json!({"jsonrpc": "2.0", "error": said});
    if let Some(id) = id {
        message["id"] = id.clone();
    }
    message
}

/// Something said while a request is under way.
pub(super) fn notification(method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "method": method, "params": params})
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The code of the error, and the id that it answers.
    fn refused(text: Value) -> (i32, Option<Value>) {
        let (id, error) = read(text).expect_err("no message");
        (error.code, id)
    }

    #[test]
    fn messages_are_told_apart() {
        let request = read(json!({"jsonrpc": "2.0", "id": "a", "method": "m", "params": {"b": 1}})).expect("a request");
        let params = Map::from_iter([("b".to_owned(), json!(1))]);
        assert_eq!(request, Message::Request(Request { id: json!("a"), method: "m".into(), params }));
        assert_eq!(read(json!({"jsonrpc": "2.0", "method": "m"})), Ok(Message::Notification));
        assert_eq!(read(json!({"jsonrpc": "2.0", "id": 1, "result": {}})), Ok(Message::Response));
        assert_eq!(read(json!({"jsonrpc": "2.0", "error": {}})), Ok(Message::Response));
    }

    #[test]
    fn what_is_no_message_is_refused_with_the_id_it_has() {
        for text in [json!([]), json!([{"jsonrpc": "2.0", "id": 1, "method": "ping"}]), json!(null), json!("ping")] {
            assert_eq!(refused(text), (INVALID_REQUEST, None));
        }
        assert_eq!(refused(json!({"id": 1, "method": "m"})), (INVALID_REQUEST, Some(json!(1))));
        assert_eq!(refused(json!({"jsonrpc": "1.0", "id": 1, "method": "m"})), (INVALID_REQUEST, Some(json!(1))));
        assert_eq!(refused(json!({"jsonrpc": "2.0", "id": 1})), (INVALID_REQUEST, Some(json!(1))));
        assert_eq!(refused(json!({"jsonrpc": "2.0", "id": 1, "method": 5})), (INVALID_REQUEST, Some(json!(1))));
        for id in [json!(null), json!(1.5), json!([]), json!({}), json!(true)] {
            assert_eq!(refused(json!({"jsonrpc": "2.0", "id": id, "method": "m"})), (INVALID_REQUEST, None));
        }
        for params in [json!([]), json!("a"), json!(null)] {
            let message = json!({"jsonrpc": "2.0", "id": 7, "method": "m", "params": params});
            assert_eq!(refused(message), (INVALID_PARAMS, Some(json!(7))));
        }
    }

    #[test]
    fn an_error_without_an_id_has_no_member_of_that_name() {
        let said = error(None, Error::new(PARSE_ERROR, "p"));
        assert_eq!(said, json!({"jsonrpc": "2.0", "error": {"code": -32700, "message": "p"}}));
    }
}
