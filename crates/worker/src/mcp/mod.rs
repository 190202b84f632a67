//! The Model Context Protocol at `/mcp`: the same operations, as tools for agents.
//!
//! Nothing is kept between requests, so there are no sessions: [`era`] tells how a request wants to be answered, `rpc`
//! reads and writes messages, `tools` describes what there is from the catalogue, and `calls` has the gateway's own
//! operations do it. What takes long is followed by its watcher: `progress` tells of it on the request's stream, `tasks`
//! is for clients that ask after tasks by themselves.

mod access;
mod calls;
mod content;
mod era;
mod follow;
mod progress;
mod rpc;
mod tasks;
mod tools;

pub(crate) use access::{METADATA, PATH, challenge, protected_resource, refused};

use mediagate_core::Code;
use serde_json::{Value, json};
use web_sys::ReadableStream;

use crate::operations::{Call, read_json};
use crate::refusal::Refusal;
use crate::reply::Reply;
use era::{Era, LEGACY};
use rpc::{Error, INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND, Message, Request};

/// How long a client may keep what it was told of this server, in milliseconds: as long as a deployment lives, at least.
const FRESH_MS: u32 = 3_600_000;

/// What a request is answered with.
enum Answer {
    /// A result, and the code that the log has of it.
    Result(Value, Code),
    /// Events that end with the result.
    Stream(Option<ReadableStream>),
}

impl Answer {
    fn ok(result: Value) -> Self {
        Answer::Result(result, Code::OK)
    }
}

/// `POST /mcp` with one message.
///
/// # Errors
/// A refusal of what is no message at all.
pub(crate) async fn serve(call: &Call<'_>) -> Result<Reply, Refusal> {
    access::negotiate(call.incoming)?;
    let header = |name: &str| call.incoming.header(name);
    let request = match rpc::read(read_json(call).await?) {
        Ok(Message::Request(request)) => request,
        Ok(other) => return Ok(acknowledge(&other, header("mcp-protocol-version").as_deref())),
        Err((id, error)) => return Ok(failed(400, id.as_ref(), error)),
    };
    let era = match Era::of(&request, header) {
        Ok(era) => era,
        Err(error) => return Ok(failed(400, Some(&request.id), error)),
    };
    access::step_up(call, &request)?;
    Ok(match answer(call, era, &request).await {
        Ok(Answer::Result(result, code)) => Reply::other(200, code, &rpc::result(&request.id, result)),
        Ok(Answer::Stream(stream)) => {
            let mut reply = Reply::events(stream);
            reply.header("x-accel-buffering", "no");
            reply
        }
        Err(error) => failed(era.status(error.code), Some(&request.id), error),
    })
}

/// What wants no answer is taken: the gateway asks nothing, and a create that has begun cannot be taken back.
fn acknowledge(message: &Message, version: Option<&str>) -> Reply {
    match (message, Era::of_header(version)) {
        (Message::Response, Ok(Era::Modern { .. })) => {
            failed(400, None, Error::new(INVALID_REQUEST, "the gateway asks nothing; send requests alone"))
        }
        (_, Ok(_)) => Reply::accepted(),
        (_, Err(error)) => failed(400, None, error),
    }
}

fn failed(status: u16, id: Option<&Value>, error: Error) -> Reply {
    Reply::other(status, Code(error.code), &rpc::error(id, error))
}

async fn answer(call: &Call<'_>, era: Era, request: &Request) -> Result<Answer, Error> {
    let settings = &call.service.gateway.settings;
    let done = |result: Value| Ok(Answer::ok(content::complete(era, result)));
    match (era, request.method.as_str()) {
        (Era::Legacy, "initialize") => done(initialize(request, &settings.mcp.tool_prefix)?),
        (Era::Legacy, "ping") => done(json!({})),
        (Era::Modern { .. }, "server/discover") => done(discover(&settings.mcp.tool_prefix)),
        (_, "tools/list") => done(list_tools(call, era, request)?),
        (_, "tools/call") => calls::run(call, era, request).await,
        (Era::Modern { tasks: false }, "tasks/get" | "tasks/update" | "tasks/cancel") => Err(tasks::undeclared()),
        (Era::Modern { tasks: true }, "tasks/get") => done(tasks::get(call, request).await?),
        (Era::Modern { tasks: true }, "tasks/update" | "tasks/cancel") => done(tasks::acknowledge(call, request)?),
        (_, other) => Err(no_such_method(other)),
    }
}

fn no_such_method(method: &str) -> Error {
    let message = match method {
        "initialize" => format!("Method not found: {} needs none; speak one of {}", era::MODERN, LEGACY.join(", ")),
        _ => "Method not found: this server has tools alone".to_owned(),
    };
    Error::new(METHOD_NOT_FOUND, message)
}

/// The client and the server introduce themselves. A client that asks for what is not served is offered the newest.
fn initialize(request: &Request, prefix: &str) -> Result<Value, Error> {
    let Some(asked) = request.params.get("protocolVersion").and_then(Value::as_str) else {
        return Err(Error::new(INVALID_PARAMS, "params lacks protocolVersion: the revision, as a string"));
    };
    let version = LEGACY.into_iter().find(|it| *it == asked).unwrap_or(LEGACY[0]);
    Ok(json!({
        "protocolVersion": version,
        "capabilities": {"tools": {}},
        "serverInfo": content::server(),
        "instructions": tools::instructions(prefix),
    }))
}

fn discover(prefix: &str) -> Value {
    json!({
        "supportedVersions": era::supported(),
        "capabilities": {"tools": {}, "extensions": {era::TASKS: {}}},
        "instructions": tools::instructions(prefix),
        "ttlMs": FRESH_MS,
        "cacheScope": "public",
    })
}

/// All tools are one page, so there is no cursor that anybody could have been given.
fn list_tools(call: &Call<'_>, era: Era, request: &Request) -> Result<Value, Error> {
    if request.params.get("cursor").is_some_and(|it| !it.is_null()) {
        return Err(Error::new(INVALID_PARAMS, "the cursor is not one of this server's; ask without one"));
    }
    let mut result = json!({"tools": tools::list(&call.service.gateway.settings, &call.caller.scope)});
    if era != Era::Legacy {
        result["ttlMs"] = json!(FRESH_MS);
        // What a token's scope does not allow is not listed.
        result["cacheScope"] = json!("private");
    }
    Ok(result)
}
