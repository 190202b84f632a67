//! The Model Context Protocol as an HTTP client sees it, and the metadata for its authorization.
//! The protocol itself describes the tools.

use mediagate_access::refusal::{Refusal, rpc};
use mediagate_core::Reason;
use mediagate_routes::{MAX_BATCH, METADATA_PATHS, NO_ISSUER, no_issuer};
use mediagate_settings::SettingsError;
use serde_json::{Value, json};

use crate::builder::Builder;
use crate::content::Content;
use crate::operation::operation;
use crate::parts::{Operation, RequestBody};
use crate::refusals::REQUEST_ID;

const TAG: &str = "Agents";

/// Returns refusals of requests whose message the gateway did not read, one for each HTTP status,
/// each with a description of that status.
fn refusals() -> [(Refusal, &'static str); 10] {
    let origin = "the origin https://other.example may not call this gateway; its operator lists \
        origins in ALLOWED_ORIGINS";
    let missing = SettingsError {
        setting: "SEAL_SECRET",
        problem: "is missing".into(),
    };
    [
        (
            Refusal::from(Reason::BrokenBody),
            "The body is not JSON, not a message, or a message that its protocol version does \
             not allow.",
        ),
        (
            Refusal::from(Reason::NoToken),
            "The token is missing or not valid; `WWW-Authenticate` describes how to get one.",
        ),
        (
            Refusal::new(Reason::OriginNotAllowed, origin),
            "The operator's list does not contain the `Origin`, or the token's scope does not \
             allow the tool.",
        ),
        (
            Refusal::from(Reason::NotAcceptable),
            "`Accept` does not include both `application/json` and `text/event-stream`.",
        ),
        (Refusal::from(Reason::SlowBody), "The body took too long."),
        (
            Refusal::too_large(1 << 20),
            "The body is larger than the gateway accepts.",
        ),
        (
            Refusal::from(Reason::MediaType),
            "`Content-Type` is not `application/json`.",
        ),
        (
            Refusal::too_many(30),
            "Too many requests in a minute; see `Retry-After`.",
        ),
        (
            Refusal::misconfigured(missing.setting, missing.to_string()),
            "A setting of the gateway is wrong, or the platform failed unexpectedly.",
        ),
        (
            Refusal::from(Reason::KeysUnavailable),
            "The keys that verify tokens can't be fetched at the moment.",
        ),
    ]
}

/// `POST /mcp`.
pub(super) fn mcp(builder: &mut Builder) -> Operation {
    let about = "The Model Context Protocol, in its revisions from 2024-11-05 to 2026-07-28, \
        without sessions. Every capability is a tool with its own schemas, which `tools/list` \
        returns. Each request carries one message, or in the revisions before 2025-06-18 a batch \
        of them. The response to a call with a `progressToken` \
        is a stream of events, if the client accepts one: progress notifications, then the result.";
    let request = builder.document.component("schemas", "Message", message());
    let request = one_or_batch(&request);
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
    let summary = "Send a message of the Model Context Protocol";
    let mut operation = operation(TAG, "mcp", summary, about, success(builder));
    operation.body = Some(RequestBody::json(request, vec![("list", list)]));
    let mut add = |status: u16, response| operation.responses.insert(status.to_string(), response);
    let accepted = "The message is accepted, and has no response.";
    add(202, builder.empty_response(accepted, &[]));
    for (refusal, about) in refusals() {
        let refusal = refusal.with("request_id", REQUEST_ID);
        let status = refusal.status;
        let example = rpc_error(refusal.rpc_code(), &refusal.message, refusal.data.into());
        add(status, error(builder, status, about, example));
    }
    let about = "The method does not exist (2026-07-28).";
    let message = "Method not found: this server supports tools only";
    let mut example = rpc_error(rpc::METHOD_NOT_FOUND, message, Value::Null);
    example["id"] = json!(1);
    add(404, error(builder, 404, about, example));
    operation
}

fn rpc_error(code: i32, message: &str, data: Value) -> Value {
    let mut error = json!({"code": code, "message": message});
    if !data.is_null() {
        error["data"] = data;
    }
    json!({"jsonrpc": "2.0", "error": error})
}

fn one_or_batch(message: &Value) -> Value {
    let batch = json!({"type": "array", "items": message, "minItems": 1, "maxItems": MAX_BATCH});
    json!({"oneOf": [message, batch]})
}

fn message() -> Value {
    json!({
        "type": "object", "required": ["jsonrpc", "method"],
        "properties": {
            "jsonrpc": {"const": "2.0"},
            "id": {"type": ["string", "integer"]},
            "method": {
                "type": "string",
                "description": "Such as `initialize`, `tools/list` or `tools/call`.",
            },
            "params": {"type": "object", "additionalProperties": true},
        },
    })
}

/// Returns the response to a request: JSON, or a stream of events.
fn success(builder: &mut Builder) -> Value {
    let response = json!({
        "type": "object", "required": ["jsonrpc"], "additionalProperties": true,
        "properties": {
            "jsonrpc": {"const": "2.0"},
            "result": {"type": "object"},
            "error": {"type": "object"},
        },
    });
    let response = builder
        .document
        .component("schemas", "MessageAnswer", response);
    let example = json!({"jsonrpc": "2.0", "id": 1, "result": {"tools": []}});
    let content = Content::json(one_or_batch(&response), example);
    let mut success = builder.response("The response to the message.", content, &[]);
    // OpenAPI 3.1 cannot describe a stream, so the schema describes one event.
    let data = json!({"jsonrpc": "2.0", "id": 1, "result": {}}).to_string();
    let members = json!({
        "event": {"const": "message"},
        "data": {
            "type": "string", "contentMediaType": "application/json",
            "description": "A message as JSON.",
        },
    });
    success["content"]["text/event-stream"] = json!({
        "schema": {
            "type": "object", "description": "One event of the stream.",
            "properties": members, "required": ["data"],
        },
        "example": {"event": "message", "data": data},
    });
    success
}

fn error(builder: &mut Builder, status: u16, about: &str, example: Value) -> Value {
    let schema = json!({
        "type": "object", "required": ["jsonrpc", "error"],
        "description": "A JSON-RPC error. `code` is one of JSON-RPC, or, if the gateway did not \
            read the message, an application code of the media service's list.",
        "properties": {
            "jsonrpc": {"const": "2.0"},
            "id": {
                "type": ["string", "integer"],
                "description": "The message's `id`, if it was read.",
            },
            "error": {
                "type": "object", "required": ["code", "message"],
                "properties": {
                    "code": {"type": "integer"},
                    "message": {"type": "string"},
                    "data": {"type": "object"},
                },
            },
        },
    });
    let schema = builder
        .document
        .component("schemas", "MessageError", schema);
    let headers: &[&str] = match status {
        401 | 403 => &["WWW-Authenticate"],
        429 => &["Retry-After"],
        _ => &[],
    };
    builder.response(about, Content::json(schema, example), headers)
}

/// `GET /.well-known/oauth-protected-resource`, with and without the resource's path.
pub(super) fn token_source(builder: &Builder, path: &str) -> Operation {
    let about = "The metadata of `/mcp` as an OAuth 2.0 protected resource (RFC 9728), with the \
        issuers of its tokens, if the operator has configured an authorization server.";
    let (id, summary) = if path == METADATA_PATHS[0] {
        (
            "mcpTokenIssuers",
            "Get the protected resource metadata of `/mcp`",
        )
    } else {
        (
            "tokenIssuers",
            "Get the protected resource metadata of the origin",
        )
    };
    let urls = json!({"type": "array", "items": {"type": "string", "format": "uri"}});
    let schema = json!({
        "type": "object", "required": ["resource", "authorization_servers"],
        "additionalProperties": true,
        "properties": {
            "resource": {"type": "string", "format": "uri"},
            "authorization_servers": urls,
        },
    });
    let example = json!({
        "resource": "https://media.example.com/mcp",
        "authorization_servers": ["https://login.example.com"],
    });
    let success = builder.response("The metadata.", Content::json(schema, example), &[]);
    let error = json!({
        "type": "object", "required": ["error", "error_description"],
        "properties": {"error": {"type": "string"}, "error_description": {"type": "string"}},
    });
    let content = Content::json(
        error,
        json!({"error": NO_ISSUER, "error_description": no_issuer(&[])}),
    );
    let missing = builder.response(
        "There is no authorization server. The description says where tokens come from.",
        content,
        &[],
    );
    let mut operation = operation(TAG, id, summary, about, success);
    operation.responses.insert("404".into(), missing);
    operation
}
