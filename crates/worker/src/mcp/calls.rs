//! Calls of tools: the gateway's own operations do them.

use mediagate_core::{Capability, Group, validate_fields};
use serde_json::{Map, Value, json};

use super::Answer;
use super::content::{self, Job};
use super::era::Era;
use super::follow::Follow;
use super::progress::Progress;
use super::rpc::{Error, INVALID_PARAMS, Request};
use super::tasks;
use super::tools::{KEY, TASK_FIELDS, Tool};
use crate::operations::{self, Call};
use crate::refusal::Refusal;
use crate::settings::{PublicAssets, UploadMode};

/// What a tool gave.
enum Given {
    /// All that there is, and what to do next.
    Done(Value, Option<String>),
    /// The answer to a create.
    Made(Group, Value),
    /// A task that was read, and for how many seconds to wait for its end.
    Read(Group, String, Value, u32),
}

/// `tools/call`. What a model can mend is a result that says so; an error is what only its program can.
pub(super) async fn run(call: &Call<'_>, era: Era, request: &Request) -> Result<Answer, Error> {
    let settings = &call.service.gateway.settings;
    let name = request.params.get("name").and_then(Value::as_str);
    let name = name.ok_or_else(|| Error::new(INVALID_PARAMS, "params lacks name: the tool's, as a string"))?;
    let tool = Tool::named(name, settings)
        .ok_or_else(|| Error::new(INVALID_PARAMS, "Unknown tool; ask tools/list for those that there are"))?;
    let arguments = match request.params.get("arguments") {
        None => Map::new(),
        Some(Value::Object(arguments)) => arguments.clone(),
        Some(_) => return Err(Error::new(INVALID_PARAMS, "params.arguments is no object")),
    };
    let token = request.params.get("_meta").and_then(|it| it.get("progressToken"));
    if !token.is_none_or(|it| it.is_string() || it.is_i64() || it.is_u64()) {
        return Err(Error::new(INVALID_PARAMS, "params._meta.progressToken is neither a string nor a whole number"));
    }
    let answer = match give(call, tool, arguments).await {
        Ok(given) => present(call, era, request, token, given).await,
        Err(refusal) => Err(refusal),
    };
    Ok(answer.unwrap_or_else(|it| Answer::Result(content::complete(era, content::refusal(&it)), it.code)))
}

async fn give(call: &Call<'_>, tool: Tool, arguments: Map<String, Value>) -> Result<Given, Refusal> {
    match tool {
        Tool::Create(capability) => create(call, capability, arguments).await,
        Tool::GetTask => read(call, &Value::Object(arguments)).await,
        Tool::RequestUpload => {
            let upload = operations::request_upload(call, &Value::Object(arguments)).await?;
            let caller = match call.service.gateway.settings.upload_mode {
                UploadMode::Direct => "",
                UploadMode::Relay => " and this server's Authorization header",
            };
            let next = format!("Send the file's bytes with PUT to upload_url, with its Content-Type{caller}.");
            Ok(Given::Done(upload, Some(next)))
        }
        Tool::ListOptions => options(call).await.map(|it| Given::Done(it, None)),
        Tool::EstimateCredits => {
            operations::estimate_of(call, &Value::Object(arguments)).await.map(|it| Given::Done(it, None))
        }
    }
}

async fn create(
    call: &Call<'_>,
    capability: &'static Capability,
    mut arguments: Map<String, Value>,
) -> Result<Given, Refusal> {
    let key = match arguments.remove(KEY) {
        None => None,
        Some(Value::String(key)) => Some(key),
        Some(_) => return Err(Refusal::invalid("idempotency_key", format!("{KEY} is no string"))),
    };
    let answer = operations::make(call, capability, key, &Value::Object(arguments)).await?;
    answer.data().map(|it| Given::Made(capability.group(), it))
}

async fn read(call: &Call<'_>, arguments: &Value) -> Result<Given, Refusal> {
    let issues = validate_fields(&TASK_FIELDS, &arguments);
    if !issues.is_empty() {
        return Err(Refusal::issues(&issues));
    }
    let sealed = arguments["task_id"].as_str().unwrap_or_default();
    let (group, id) = operations::named(call, sealed).ok_or_else(Refusal::no_such_task)?;
    let wait = arguments["wait_seconds"].as_f64().unwrap_or_default() as u32;
    let data = operations::read(call, group, &id).await?;
    Ok(Given::Read(group, id, data, wait.min(call.service.gateway.settings.mcp.wait_seconds)))
}

async fn options(call: &Call<'_>) -> Result<Value, Refusal> {
    let settings = &call.service.gateway.settings;
    let mut options = match &settings.public_assets {
        PublicAssets::All => json!({"any_asset": true, "public_assets": []}),
        PublicAssets::Listed(ids) => json!({"any_asset": false, "public_assets": ids}),
    };
    if !settings.models_path.is_empty() {
        options["catalogue"] = operations::list_models(call).await?;
    }
    Ok(options)
}

/// Answers at once, or where the client wants to hear how it goes, as it goes.
async fn present(
    call: &Call<'_>,
    era: Era,
    request: &Request,
    token: Option<&Value>,
    given: Given,
) -> Result<Answer, Refusal> {
    let settings = &call.service.gateway.settings.mcp;
    let done = |result: Value| Ok(Answer::ok(content::complete(era, result)));
    let job = |made: bool| Job { prefix: settings.tool_prefix.clone(), made };
    let (job, group, id, data, wait) = match given {
        Given::Done(data, next) => return done(content::tool(data, next)),
        Given::Made(group, data) => {
            let job = job(true);
            // The id is the caller's own, so it opens; where there is no task, there is nothing to wait for.
            let id = data["task"]["id"].as_str().and_then(|it| operations::named(call, it)).map(|it| it.1);
            let Some(id) = id.filter(|_| content::is_running(&data)) else {
                return done(job.result(data));
            };
            if era == (Era::Modern { tasks: true }) {
                return done(tasks::made(call, group, &id, &data));
            }
            // Without a token nobody hears that the call goes on, and a client may give it up.
            (job, group, id, data, token.map_or(0, |_| settings.wait_seconds))
        }
        Given::Read(group, id, data, wait) => (job(false), group, id, data, wait),
    };
    if wait == 0 || !content::is_running(&data) {
        return done(job.result(data));
    }
    // Who cannot be told how it goes is at least told that it does: the id must not be lost.
    let Ok(follow) = Follow::of(call, group, id, wait).await else { return done(job.result(data)) };
    let Some(token) = token.cloned() else { return done(job.result(follow.until_it_ends(data).await)) };
    Ok(Answer::Stream(Progress { era, id: request.id.clone(), token, job, data }.stream(follow)))
}
