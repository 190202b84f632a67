//! Handles one message.

use mediagate_core::Code;
use serde_json::{Value, json};

use super::rpc::{
    self, INVALID_REQUEST, METHOD_NOT_FOUND, Message, RpcError, RpcRequest, RpcResponse,
};
use super::version::{self, LEGACY, ProtocolVersion};
use super::{access, calls, content, tasks, tool_texts, tools};
use crate::operations::RequestContext;
use crate::refusal::Refusal;
use crate::reply::Reply;

/// The time that a client may cache the tools and the description of this server, in milliseconds.
const CACHE_MS: u32 = 3_600_000;

/// `POST /mcp` with one message.
///
/// # Errors
/// The body is not JSON or is too long, or a header is wrong. Errors in the message are replies.
pub(crate) async fn serve(context: &RequestContext<'_>) -> Result<Reply, Refusal> {
    access::negotiate(context.incoming)?;
    let header = |name: &str| context.incoming.header(name);
    let request = match rpc::read(context.read_json().await?) {
        Ok(Message::Request(request)) => request,
        Ok(other) => return Ok(accept(&other, header("mcp-protocol-version").as_deref())),
        Err((id, error)) => return Ok(failed(400, id.as_ref(), error)),
    };
    let version = match ProtocolVersion::of(&request, header) {
        Ok(version) => version,
        Err(error) => return Ok(failed(400, Some(&request.id), error)),
    };
    if let Some(reply) = access::step_up(context, &request) {
        return Ok(reply);
    }
    Ok(match respond(context, version, &request).await {
        Ok(RpcResponse::Result(result, code)) => {
            Reply::json(200, code, &rpc::result(&request.id, result))
        }
        Ok(RpcResponse::Stream(stream)) => Reply::events(stream),
        Err(error) => failed(version.status(error.code), Some(&request.id), error),
    })
}

/// Accepts a message that needs no response. The message has no effect: the gateway sends no
/// requests, and a create that has begun cannot be cancelled.
fn accept(message: &Message, version: Option<&str>) -> Reply {
    match (message, ProtocolVersion::of_header(version)) {
        // Older versions let a server send requests, so an older client's response is accepted.
        (Message::Response, Ok(ProtocolVersion::Modern { .. })) => {
            let message = "the gateway sends no requests; send no responses";
            failed(400, None, RpcError::new(INVALID_REQUEST, message))
        }
        (_, Ok(_)) => Reply::accepted(),
        (_, Err(error)) => failed(400, None, error),
    }
}

fn failed(status: u16, id: Option<&Value>, error: RpcError) -> Reply {
    Reply::json(status, Code(error.code), &rpc::error(id, error))
}

async fn respond(
    context: &RequestContext<'_>,
    version: ProtocolVersion,
    request: &RpcRequest,
) -> Result<RpcResponse, RpcError> {
    use ProtocolVersion::{Legacy, Modern};
    let prefix = &context.settings().mcp.tool_prefix;
    let result = match (version, request.method.as_str()) {
        (Legacy, "initialize") => initialize(request, prefix)?,
        (Legacy, "ping") => json!({}),
        (Modern { .. }, "server/discover") => discover(prefix),
        (_, "tools/list") => list_tools(context, version, request).await?,
        (_, "tools/call") => return calls::run(context, version, request).await,
        (Modern { tasks: false }, "tasks/get" | "tasks/update" | "tasks/cancel") => {
            return Err(tasks::undeclared());
        }
        (Modern { tasks: true }, "tasks/get") => tasks::get(context, request).await?,
        (Modern { tasks: true }, "tasks/update" | "tasks/cancel") => {
            tasks::acknowledge(context, request)?
        }
        (_, other) => return Err(no_such_method(other)),
    };
    Ok(RpcResponse::ok(content::complete(version, result)))
}

/// Returns the body of the reply to a request of a method that does not exist.
pub(crate) fn unknown_method(id: &Value) -> Value {
    rpc::error(Some(id), no_such_method("resources/list"))
}

fn no_such_method(method: &str) -> RpcError {
    let message = match method {
        "initialize" => format!(
            "Method not found: {} has no initialize; initialize with one of {}",
            version::MODERN,
            LEGACY.join(", ")
        ),
        _ => "Method not found: this server supports tools only".to_owned(),
    };
    RpcError::new(METHOD_NOT_FOUND, message)
}

/// Runs `initialize`. The version is the client's, if it is supported, or else the newest version
/// that begins with `initialize`.
fn initialize(request: &RpcRequest, prefix: &str) -> Result<Value, RpcError> {
    let requested = request.params.get("protocolVersion");
    let Some(requested) = requested.and_then(Value::as_str) else {
        let message = "params.protocolVersion is missing; give the protocol version, as a string";
        return Err(RpcError::params(message));
    };
    let version = LEGACY
        .into_iter()
        .find(|version| *version == requested)
        .unwrap_or(LEGACY[0]);
    Ok(json!({
        "protocolVersion": version,
        "capabilities": {"tools": {}},
        "serverInfo": content::server(),
        "instructions": tool_texts::instructions(prefix),
    }))
}

fn discover(prefix: &str) -> Value {
    json!({
        "supportedVersions": version::supported(),
        "capabilities": {"tools": {}, "extensions": {version::TASKS: {}}},
        "instructions": tool_texts::instructions(prefix),
        "ttlMs": CACHE_MS,
        "cacheScope": "public",
    })
}

/// `tools/list`. All tools are on one page, so no cursor is valid.
async fn list_tools(
    context: &RequestContext<'_>,
    version: ProtocolVersion,
    request: &RpcRequest,
) -> Result<Value, RpcError> {
    let cursor = request.params.get("cursor");
    if cursor.is_some_and(|cursor| !cursor.is_null()) {
        let message = "the cursor is not valid; omit it, since there is one page";
        return Err(RpcError::params(message));
    }
    let catalogue = context.client().catalogue().await;
    let scope = &context.caller.scope;
    let tools = tools::list(context.settings(), scope, catalogue.as_deref());
    let mut result = json!({ "tools": tools });
    if version != ProtocolVersion::Legacy {
        result["ttlMs"] = json!(CACHE_MS);
        // The list depends on the token's scope.
        result["cacheScope"] = json!("private");
    }
    Ok(result)
}
