use mediagate_access::refusal::Refusal;
use mediagate_core::Code;
use mediagate_platform::now_ms;
use mediagate_routes::MAX_BATCH;
use serde_json::{Value, json};

use super::rpc::{
    self, INTERNAL_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, Message, RpcError, RpcRequest,
    RpcResponse,
};
use super::tool_schemas::WAIT_SECONDS;
use super::version::{self, ProtocolVersion, WITH_INITIALIZE};
use super::{access, calls, content, tasks, tool_texts, tools};
use crate::operations::RequestContext;
use crate::reply::Reply;

/// The time that a client may cache the tools and the description of this server.
const CACHE_MS: u32 = 3_600_000;

/// The time, and the bytes of responses, after which no further message of a batch is handled.
const MAX_BATCH_MS: f64 = 30_000.0;
const MAX_BATCH_BYTES: usize = 8 << 20;

/// `POST /mcp` with one message, or with a batch from a client of a version up to 2025-03-26.
/// Refuses a body that is not JSON or too long, a wrong header, and with 429 a batch of more
/// messages than the caller may send now. Errors in a message are replies.
pub(crate) async fn serve(context: &RequestContext<'_>) -> Result<Reply, Refusal> {
    let takes_stream = access::negotiate(context.incoming)?;
    match context.read_json().await? {
        Value::Array(messages) => serve_batch(context, messages).await,
        message => Ok(serve_message(context, message, takes_stream).await),
    }
}

/// Handles the messages of a batch one after the other, and replies with their responses.
async fn serve_batch(context: &RequestContext<'_>, messages: Vec<Value>) -> Result<Reply, Refusal> {
    let version = context.incoming.header("mcp-protocol-version");
    let refused = match ProtocolVersion::of_header(version.as_deref()) {
        Err(error) => Some(error),
        Ok(ProtocolVersion::Early) if (1..=MAX_BATCH).contains(&messages.len()) => None,
        Ok(ProtocolVersion::Early) => Some(RpcError::new(
            INVALID_REQUEST,
            format!(
                "the batch has {} messages; send 1 to {MAX_BATCH}",
                messages.len()
            ),
        )),
        Ok(_) => Some(RpcError::new(
            INVALID_REQUEST,
            "this protocol version has no batches; send each message in its own request",
        )),
    };
    if let Some(error) = refused {
        return Ok(failed(400, None, error));
    }
    // The request itself counts as one.
    context.count_requests(messages.len() - 1)?;
    let until = now_ms() + MAX_BATCH_MS;
    let mut responses: Vec<String> = Vec::new();
    let mut bytes = 0;
    for message in messages {
        let is_over = now_ms() > until || bytes > MAX_BATCH_BYTES;
        let reply = if is_over {
            not_handled(message)
        } else {
            serve_message(context, without_wait(message), false).await
        };
        if let Some(text) = reply.json_text() {
            bytes += text.len();
            responses.push(text.to_owned());
        }
    }
    if responses.is_empty() {
        return Ok(Reply::accepted());
    }
    Ok(Reply::bare_json(format!("[{}]", responses.join(","))))
}

/// Removes the time that a call of a batch would wait for an end: the other messages would wait,
/// too.
fn without_wait(mut message: Value) -> Value {
    let arguments = message.pointer_mut("/params/arguments");
    if let Some(Value::Object(arguments)) = arguments {
        arguments.remove(WAIT_SECONDS);
    }
    message
}

/// Replies to a message of a batch that has taken too long.
fn not_handled(message: Value) -> Reply {
    let Ok(Message::Request(request)) = rpc::read(message) else {
        // Nothing is done for any other message.
        return Reply::accepted();
    };
    let message = "the batch took too long, and this message was not handled; send it again";
    let error = RpcError::new(INTERNAL_ERROR, message);
    failed(200, Some(&request.id), error)
}

async fn serve_message(context: &RequestContext<'_>, message: Value, takes_stream: bool) -> Reply {
    let header = |name: &str| context.incoming.header(name);
    let request = match rpc::read(message) {
        Ok(Message::Request(request)) => request,
        Ok(other) => return accept(&other, header("mcp-protocol-version").as_deref()),
        Err((id, error)) => return failed(400, id.as_ref(), error),
    };
    let version = match ProtocolVersion::of(&request, header) {
        Ok(version) => version,
        Err(error) => return failed(400, Some(&request.id), error),
    };
    if let Some(reply) = access::step_up(context, &request) {
        return reply;
    }
    match respond(context, version, &request, takes_stream).await {
        Ok(RpcResponse::Result(result, code)) => {
            Reply::json(200, code, &rpc::result(&request.id, result))
        }
        Ok(RpcResponse::Stream(stream)) => Reply::events(stream),
        Err(error) => failed(version.status(error.code), Some(&request.id), error),
    }
}

/// Accepts a message that needs no response and has no effect: the gateway sends no requests, and a
/// create that has begun cannot be cancelled.
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
    takes_stream: bool,
) -> Result<RpcResponse, RpcError> {
    use ProtocolVersion::{Early, Legacy, Modern};
    let prefix = &context.settings().mcp.tool_prefix;
    let result = match (version, request.method.as_str()) {
        (Early | Legacy, "initialize") => initialize(request, prefix)?,
        (Early | Legacy, "ping") => json!({}),
        (Modern { .. }, "server/discover") => discover(prefix),
        (_, "tools/list") => list_tools(context, version, request).await?,
        (_, "tools/call") => {
            return calls::run(context, version, request, takes_stream).await;
        }
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

fn no_such_method(method: &str) -> RpcError {
    let message = match method {
        "initialize" => format!(
            "Method not found: {} has no initialize; initialize with one of {}",
            version::MODERN,
            WITH_INITIALIZE.join(", ")
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
    let version = WITH_INITIALIZE
        .into_iter()
        .find(|version| *version == requested)
        .unwrap_or(WITH_INITIALIZE[0]);
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

/// Runs `tools/list`. All tools are on one page, so no cursor is valid.
async fn list_tools(
    context: &RequestContext<'_>,
    version: ProtocolVersion,
    request: &RpcRequest,
) -> Result<Value, RpcError> {
    if request.params.contains_key("cursor") {
        let message = "the cursor is not valid; omit it, since there is one page";
        return Err(RpcError::params(message));
    }
    let catalogue = context.client().catalogue().await;
    let scope = &context.caller.scope;
    let tools = tools::list(context.settings(), scope, catalogue.as_deref());
    let mut result = json!({ "tools": tools });
    if !version.has_initialize() {
        result["ttlMs"] = json!(CACHE_MS);
        // The list depends on the token's scope.
        result["cacheScope"] = json!("private");
    }
    Ok(result)
}
