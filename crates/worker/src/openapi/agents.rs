//! What agents come to. The Model Context Protocol describes itself; here is what any HTTP client sees of it.

use mediagate_core::openapi::{Body, Operation};
use serde_json::{Value, json};

use super::operation::{JSON, operation, with_responses};
use super::parts::Parts;
use super::refusals::Part::{Everyone, Optional};
use crate::mcp::METADATA_PATHS;

const TAG: &str = "Agents";

/// Why there is an error, by HTTP status.
const ERRORS: [(&str, &str); 10] = [
    ("400", "No JSON, no message, or one that its revision does not allow."),
    ("401", "No token, or one that is not valid; `WWW-Authenticate` says how to get one."),
    ("403", "The `Origin` is not one that this gateway serves, or the token's scope does not allow the tool."),
    ("404", "There is no such method, as of 2026-07-28."),
    ("406", "`Accept` does not list both `application/json` and `text/event-stream`."),
    ("408", "The body took too long."),
    ("413", "The body is larger than the gateway takes."),
    ("415", "`Content-Type` is not `application/json`."),
    ("429", "Too many requests a minute; wait as `Retry-After` says."),
    ("500", "A setting of the gateway is wrong, or the platform failed."),
];

/// `POST /mcp`.
pub(super) fn mcp(parts: &mut Parts) -> Operation {
    let about = "The Model Context Protocol, as of 2025-11-25 and 2026-07-28, without sessions: every capability is a tool \
        with schemas of its own, which `tools/list` answers. One message a request. A call that is given a \
        `progressToken` is answered with events: notifications of its progress, then the result.";
    let mut operation = operation(TAG, "mcp", "Speak the Model Context Protocol", about);
    let message = json!({
        "type": "object", "required": ["jsonrpc", "method"],
        "properties": {
            "jsonrpc": {"const": "2.0"},
            "id": {"type": ["string", "integer"]},
            "method": {"type": "string", "description": "Such as `initialize`, `tools/list` or `tools/call`."},
            "params": {"type": "object", "additionalProperties": true},
        },
    });
    let request = parts.document.component("schemas", "Message", message);
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
    operation.body = Some(Body::json(request, vec![("list", list)]));
    let answer = json!({
        "type": "object", "required": ["jsonrpc"], "additionalProperties": true,
        "properties": {"jsonrpc": {"const": "2.0"}, "result": {"type": "object"}, "error": {"type": "object"}},
    });
    let answer = parts.document.component("schemas", "MessageAnswer", answer);
    let example = json!({"jsonrpc": "2.0", "id": 1, "result": {"tools": []}});
    let mut success = parts.success("The message's answer.", Some((JSON, answer, example)), &[]);
    // 3.1 has no word for a stream: this is one event of it.
    let data = json!({"jsonrpc": "2.0", "id": 1, "result": {}}).to_string();
    let members = json!({
        "event": {"const": "message"},
        "data": {"type": "string", "contentMediaType": "application/json", "description": "A message, as text."},
    });
    success["content"]["text/event-stream"] = json!({
        "schema": {"type": "object", "description": "One event of the stream.", "properties": members, "required": ["data"]},
        "example": {"event": "message", "data": data},
    });
    operation.responses.insert("200".into(), success);
    let accepted = parts.success("The message wants no answer, and was taken.", None, &[]);
    operation.responses.insert("202".into(), accepted);
    for (status, about) in ERRORS {
        let error = error(parts, status, about);
        operation.responses.insert(status.into(), error);
    }
    operation
}

/// An error of JSON-RPC.
fn error(parts: &mut Parts, status: &str, about: &str) -> Value {
    let schema = json!({
        "type": "object", "required": ["jsonrpc", "error"],
        "description": "Why a message has no result. `code` is JSON-RPC's, or where no message was looked at, of the service's list.",
        "properties": {
            "jsonrpc": {"const": "2.0"},
            "id": {"type": ["string", "integer"], "description": "The message's, where one was read."},
            "error": {
                "type": "object", "required": ["code", "message"],
                "properties": {"code": {"type": "integer"}, "message": {"type": "string"}, "data": {"type": "object"}},
            },
        },
    });
    let schema = parts.document.component("schemas", "MessageError", schema);
    let example =
        json!({"jsonrpc": "2.0", "error": {"code": 13, "message": "unauthenticated", "data": {"reason": "no_token"}}});
    let headers: &[&str] = match status {
        "401" | "403" => &["WWW-Authenticate"],
        "429" => &["Retry-After"],
        _ => &[],
    };
    parts.success(about, Some((JSON, schema, example)), headers)
}

/// `GET /.well-known/oauth-protected-resource`, with or without the path.
pub(super) fn protected_resource(parts: &mut Parts, path: &str) -> Operation {
    let about = "Who issues tokens for `/mcp`, as RFC 9728 says, where the operator has named an authorization server.";
    let (id, summary) = match path == METADATA_PATHS[0] {
        true => ("mcpTokenIssuers", "Who issues tokens for agents"),
        false => ("tokenIssuers", "Who issues tokens for agents, by the origin alone"),
    };
    let mut operation = operation(TAG, id, summary, about);
    operation.security = Some(json!([]));
    let urls = json!({"type": "array", "items": {"type": "string", "format": "uri"}});
    let schema = json!({
        "type": "object", "required": ["resource", "authorization_servers"], "additionalProperties": true,
        "properties": {"resource": {"type": "string", "format": "uri"}, "authorization_servers": urls},
    });
    let example =
        json!({"resource": "https://media.example.com/mcp", "authorization_servers": ["https://login.example.com"]});
    let success = parts.success("The metadata.", Some((JSON, schema, example)), &[]);
    with_responses(parts, operation, success, &[Everyone, Optional], &[])
}
