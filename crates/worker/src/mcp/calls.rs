//! Tool calls, which run the gateway's own operations.

use std::time::Duration;

use mediagate_access::refusal::Refusal;
use mediagate_core::{Capability, Outcome, Reason, find};
use mediagate_ids::{TaskName, TaskRef};
use mediagate_platform::http::within;
use mediagate_platform::random_name;
use mediagate_settings::PublicAssets;
use serde_json::{Value, json};

use super::arguments::{check, take_key, wait_seconds};
use super::content::{self, TaskReport};
use super::pipelines;
use super::progress::Progress;
use super::rpc::{RpcError, RpcRequest, RpcResponse, is_id};
use super::subscription::TaskSubscription;
use super::tasks;
use super::tool_schemas::{DEFAULT_TASKS, KEY};
use super::tool_texts::next_of_upload;
use super::tools::Tool;
use super::urls::{Input, move_files, replace_urls};
use super::version::ProtocolVersion;
use crate::operations::{self, RequestContext};

enum ToolOutcome {
    Done {
        result: Value,
        /// A sentence for the model about the next step.
        next: Option<String>,
    },
    /// The call created a task, or returned a result without one.
    Created {
        /// The reply's `data`.
        data: Value,
    },
    /// The call read a task.
    Read {
        task: TaskRef,
        /// The reply's `data`.
        data: Value,
        /// The seconds that the call waits for the task's end.
        wait: u32,
    },
    /// A result that came without a task, as the reply's `data`.
    Result(Value),
    History(Value),
}

const CALL_AGAIN: &str = "The file is not there yet: call the tool again with the same arguments.";

/// The longest time that a call waits for the response to a create. Many clients give up after a
/// minute.
pub(super) const CREATE_WAIT: Duration = Duration::from_secs(45);

const STILL_CREATING: &str = "There is no response yet: call the tool again with the same arguments \
    and this idempotency_key. Another key could create, and charge, a second time.";

const NOT_CREATED: &str = "A file is still being loaded from its URL, and nothing was created: \
    call the tool again with the same arguments.";

/// Runs `tools/call`. Fails for a mistake in the call itself, which only a program can correct. An
/// error that a model can correct is a result with `isError`, because clients show models only
/// results.
pub(super) async fn run(
    context: &RequestContext<'_>,
    version: ProtocolVersion,
    request: &RpcRequest,
    takes_stream: bool,
) -> Result<RpcResponse, RpcError> {
    let settings = context.settings();
    let name = request.params.get("name").and_then(Value::as_str);
    let missing = "params.name is missing; give the tool's name, as a string";
    let name = name.ok_or_else(|| RpcError::params(missing))?;
    let unknown = "Unknown tool; call tools/list for the available tools";
    let tool = Tool::named(name, settings).ok_or_else(|| RpcError::params(unknown))?;
    let arguments = match request.params.get("arguments") {
        None => json!({}),
        Some(arguments) if arguments.is_object() => arguments.clone(),
        Some(_) => return Err(RpcError::params("params.arguments is not an object")),
    };
    // Every notification repeats the token, so its length is limited.
    let meta = request.params.get("_meta");
    let token = meta.and_then(|meta| meta.get("progressToken"));
    if !token.is_none_or(is_id) {
        return Err(RpcError::params(
            "params._meta.progressToken is not a string or whole number of at most 1024 bytes",
        ));
    }
    // Without a stream there is no place for notifications.
    let token = token.filter(|_| takes_stream);
    let response = match run_tool(context, tool, arguments).await {
        Ok(outcome) => respond(context, version, request, token, outcome).await,
        Err(refusal) => Err(refusal),
    };
    Ok(response.unwrap_or_else(|refusal| {
        let result = content::complete(version, content::refusal(&refusal));
        RpcResponse::Result(result, refusal.code)
    }))
}

async fn run_tool(
    context: &RequestContext<'_>,
    tool: Tool,
    mut arguments: Value,
) -> Result<ToolOutcome, Refusal> {
    if let Some(fields) = tool.fields() {
        check(fields, &arguments)?;
    }
    let (result, next) = match tool {
        Tool::Create(capability) => return create(context, capability, arguments).await,
        Tool::RunPipeline => return run_pipeline(context, arguments).await,
        Tool::GetTask => return read(context, &arguments).await,
        Tool::EstimateCredits => return estimate(context, &mut arguments).await,
        Tool::RequestUpload => {
            let upload = operations::request_upload(context, &arguments).await?;
            let next = next_of_upload(context.settings(), &upload);
            (upload, Some(next))
        }
        Tool::UseUrl => moved(operations::request_file(context, &arguments).await?),
        Tool::UseOutput => moved(operations::request_output(context, &arguments).await?),
        Tool::GetPipeline => pipeline(context, pipelines::get(context, &arguments).await?),
        Tool::ResumePipeline => {
            let id = pipelines::id(&arguments);
            pipeline(context, operations::resume_pipeline(context, id).await?)
        }
        Tool::CancelPipeline => {
            let id = pipelines::id(&arguments);
            pipeline(context, operations::cancel_pipeline(context, id).await?)
        }
        Tool::ListTasks => return list(context, &arguments).await.map(ToolOutcome::History),
        Tool::ListOptions => (options(context, &arguments).await?, None),
    };
    Ok(ToolOutcome::Done { result, next })
}

fn moved(file: Value) -> (Value, Option<String>) {
    let next = file.get("file_id").is_none().then(|| CALL_AGAIN.to_owned());
    (file, next)
}

fn pipeline(context: &RequestContext<'_>, data: Value) -> (Value, Option<String>) {
    let next = pipelines::next_step(&context.settings().mcp.tool_prefix, &data);
    (data, next)
}

/// Returns the outcome of a call that waits for files before it creates something: the progress.
fn not_created(progress: Value) -> ToolOutcome {
    ToolOutcome::Done {
        result: progress,
        next: Some(NOT_CREATED.to_owned()),
    }
}

/// Returns the input of a create, whose fields are the whole request.
fn whole<'a>(capability: &'static Capability, fields: &'a mut Value) -> Input<'a> {
    Input {
        capability,
        fields,
        path: String::new(),
    }
}

async fn create(
    context: &RequestContext<'_>,
    capability: &'static Capability,
    mut fields: Value,
) -> Result<ToolOutcome, Refusal> {
    let prepare = async {
        let key = take_key(&mut fields)?;
        context.caller.authorize(capability)?;
        // Nothing is loaded for a create that would be refused.
        let mut checked = fields.clone();
        if replace_urls(context, [whole(capability, &mut checked)]) {
            operations::check_create(context, capability, key.clone(), &checked).await?;
        }
        Ok((
            key,
            move_files(context, [whole(capability, &mut fields)]).await?,
        ))
    };
    let prepared: Result<_, Refusal> = prepare.await;
    let (key, progress) = prepared.map_err(|refusal| refusal.of_create(Outcome::NotSent))?;
    if let Some(progress) = progress {
        return Ok(not_created(progress));
    }
    // Without a key, a call whose outcome is unknown could not be repeated.
    let key = key.unwrap_or_else(random_name);
    let creating = operations::create_task(context, capability, Some(key.clone()), &fields);
    let Some(response) = within(CREATE_WAIT, creating).await else {
        return Ok(ToolOutcome::Done {
            result: json!({ KEY: key }),
            next: Some(STILL_CREATING.to_owned()),
        });
    };
    match response?.outcome {
        Ok(data) => Ok(ToolOutcome::Created { data }),
        Err(refusal) => Err(refusal.with(KEY, key)),
    }
}

async fn run_pipeline(
    context: &RequestContext<'_>,
    mut request: Value,
) -> Result<ToolOutcome, Refusal> {
    let prepare = async {
        let key = take_key(&mut request)?;
        pipelines::name_steps(&mut request)?;
        // Nothing is loaded for a pipeline that would be refused.
        let mut checked = request.clone();
        if replace_urls(context, pipelines::inputs(&mut checked)) {
            operations::check_pipeline(context, key.clone(), &checked).await?;
        }
        let progress = move_files(context, pipelines::inputs(&mut request)).await?;
        Ok((key, progress))
    };
    let prepared: Result<_, Refusal> = prepare.await;
    let (key, progress) = prepared.map_err(|refusal| refusal.of_create(Outcome::NotSent))?;
    if let Some(progress) = progress {
        return Ok(not_created(progress));
    }
    let data = operations::run_pipeline(context, key, &request).await?;
    let (result, next) = pipeline(context, data);
    Ok(ToolOutcome::Done { result, next })
}

async fn estimate(
    context: &RequestContext<'_>,
    request: &mut Value,
) -> Result<ToolOutcome, Refusal> {
    // The key is an argument of the tool, and not a field of the capability.
    if let Some(members) = request.get_mut("input").and_then(Value::as_object_mut) {
        members.remove(KEY);
    }
    // Nothing is loaded for an estimate that would be refused.
    let mut checked = request.clone();
    if replace_urls(context, estimated(&mut checked)) {
        operations::check_estimate(context, &checked).await?;
    }
    if let Some(progress) = move_files(context, estimated(request)).await? {
        return Ok(not_created(progress));
    }
    let estimate = operations::fetch_estimate(context, request).await?;
    Ok(ToolOutcome::Done {
        result: content::object("estimate", estimate),
        next: None,
    })
}

/// Returns the input of a request for an estimate. `fetch_estimate` refuses a request without a
/// capability or an input.
fn estimated(request: &mut Value) -> Option<Input<'_>> {
    let capability = request["capability"].as_str().and_then(find)?;
    Some(Input {
        capability,
        fields: request.get_mut("input")?,
        path: "input.".to_owned(),
    })
}

async fn read(context: &RequestContext<'_>, arguments: &Value) -> Result<ToolOutcome, Refusal> {
    let sealed = arguments["task_id"].as_str().unwrap_or_default();
    let task = match operations::unseal_name(context, sealed).ok_or(Reason::UnknownTask)? {
        TaskName::Upstream(task) => task,
        // A result that the ledger keeps has nothing to wait for.
        TaskName::Entry(entry) => {
            let data = operations::read_result(context, entry).await?;
            return Ok(ToolOutcome::Result(data));
        }
    };
    let wait = wait_seconds(context, arguments)?;
    let data = operations::read_task(context, &task).await?;
    Ok(ToolOutcome::Read { task, data, wait })
}

async fn list(context: &RequestContext<'_>, arguments: &Value) -> Result<Value, Refusal> {
    let limit = arguments["limit"].as_f64();
    let limit = limit
        .map_or(DEFAULT_TASKS, |limit| limit as i64)
        .to_string();
    operations::list_tasks(context, Some(&limit), arguments["cursor"].as_str()).await
}

async fn options(context: &RequestContext<'_>, arguments: &Value) -> Result<Value, Refusal> {
    let settings = context.settings();
    let mut options = match &settings.public_assets {
        PublicAssets::All => json!({"any_asset": true, "public_assets": []}),
        PublicAssets::Listed(ids) => json!({"any_asset": false, "public_assets": ids}),
    };
    let own = context
        .caller
        .assets
        .list()
        .map(|(id, category)| match category {
            Some(category) => json!({"id": id, "category": category}),
            None => json!({"id": id}),
        });
    options["own_assets"] = own.collect();
    operations::add_limits(context, &mut options);
    if settings.models_path.is_some() && arguments["catalogue"] != false {
        options["catalogue"] = operations::fetch_models(context).await?;
    }
    Ok(options)
}

/// Responds with the result. If the client requests progress notifications and the task still runs,
/// the response is a stream of them that ends with the result.
async fn respond(
    context: &RequestContext<'_>,
    version: ProtocolVersion,
    request: &RpcRequest,
    token: Option<&Value>,
    outcome: ToolOutcome,
) -> Result<RpcResponse, Refusal> {
    let settings = &context.settings().mcp;
    let done = |result: Value| Ok(RpcResponse::ok(content::complete(version, result)));
    let report = |is_create: bool| TaskReport {
        prefix: settings.tool_prefix.clone(),
        has_links: version != ProtocolVersion::Early,
        is_create,
    };
    let (report, task, data, wait) = match outcome {
        ToolOutcome::Done { result, next } => return done(content::tool(result, next)),
        ToolOutcome::Result(data) => return done(report(false).result(data)),
        ToolOutcome::History(page) => return done(content::history(page)),
        ToolOutcome::Created { data } => {
            let report = report(true);
            // The id is sealed for the caller. A create may return a result without a task.
            let task = data["task"]["id"]
                .as_str()
                .and_then(|sealed| operations::unseal_task(context, sealed));
            let Some(task) = task.filter(|_| content::is_running(&data)) else {
                return done(report.result(data));
            };
            if version == (ProtocolVersion::Modern { tasks: true }) {
                return done(tasks::created(context, &task, &data));
            }
            // Wait only if the client gets notifications: without them it may time out, and a model
            // that gets no result may create the task again.
            let wait = token.map_or(0, |_| settings.wait_seconds);
            (report, task, data, wait)
        }
        ToolOutcome::Read { task, data, wait } => (report(false), task, data, wait),
    };
    if wait == 0 || !content::is_running(&data) {
        return done(report.result(data));
    }
    // If the task cannot be followed, the result still has its id, which must not be lost.
    let Ok(subscription) = TaskSubscription::start(context, task, wait).await else {
        return done(report.result(data));
    };
    let Some(token) = token.cloned() else {
        return done(report.result(subscription.until_it_ends(data).await));
    };
    let progress = Progress {
        version,
        id: request.id.clone(),
        token,
        report,
        data,
    };
    Ok(RpcResponse::Stream(progress.stream(subscription)))
}
