//! Tool calls, which run the gateway's own operations.

use mediagate_core::{Capability, Outcome, Reason, find};
use serde_json::{Map, Value, json};

use super::arguments::{check, take_key, wait_seconds};
use super::content::{self, TaskReport};
use super::pipelines::{self, PipelineRequest};
use super::progress::Progress;
use super::response::RpcResponse;
use super::rpc::{INVALID_PARAMS, RpcError, RpcRequest, is_id};
use super::subscription::TaskSubscription;
use super::tasks;
use super::tool_schemas::{KEY, OPTIONS_FIELDS, TASK_FIELDS, TASKS_FIELDS};
use super::tool_texts::next_of_upload;
use super::tools::Tool;
use super::urls::{Input, move_files};
use super::version::ProtocolVersion;
use crate::ids::TaskRef;
use crate::operations::{self, RequestContext};
use crate::refusal::Refusal;
use crate::settings::PublicAssets;

enum ToolOutcome {
    /// The call is complete.
    Done {
        /// The structured result.
        result: Value,
        /// A sentence for the model about the next step.
        next: Option<String>,
    },
    /// The call created a task, or returned a result without one.
    Created {
        /// The reply's `data`.
        data: Value,
        /// The time of the create in milliseconds since 1970, if it is known.
        created_at: Option<i64>,
    },
    /// The call read a task.
    Read {
        task: TaskRef,
        /// The reply's `data`.
        data: Value,
        /// The seconds that the call waits for the task's end.
        wait: u32,
    },
    /// The call read a result that came without a task. Has the reply's `data`.
    Result(Value),
}

/// The next step for an agent while a file is being moved.
const CALL_AGAIN: &str = "The file is not there yet: call the tool again with the same arguments.";

/// The next step for an agent while a file is being loaded that a create requires.
const NOT_CREATED: &str = "A file is still being loaded from its URL, and nothing was created: \
    call the tool again with the same arguments.";

/// Runs `tools/call`.
///
/// # Errors
/// A mistake in the call itself, which only a program can correct. An error that a model can
/// correct is a result with `isError`, because clients show models only results.
pub(super) async fn run(
    context: &RequestContext<'_>,
    version: ProtocolVersion,
    request: &RpcRequest,
) -> Result<RpcResponse, RpcError> {
    let settings = context.settings();
    let name = request.params.get("name").and_then(Value::as_str);
    let name = name.ok_or_else(|| {
        RpcError::new(
            INVALID_PARAMS,
            "params.name is missing; give the tool's name, as a string",
        )
    })?;
    let tool = Tool::named(name, settings).ok_or_else(|| {
        RpcError::new(
            INVALID_PARAMS,
            "Unknown tool; call tools/list for the available tools",
        )
    })?;
    let arguments = match request.params.get("arguments") {
        None => Map::new(),
        Some(Value::Object(arguments)) => arguments.clone(),
        Some(_) => {
            return Err(RpcError::new(
                INVALID_PARAMS,
                "params.arguments is not an object",
            ));
        }
    };
    // Every notification repeats the token, so its length is limited.
    let token = request
        .params
        .get("_meta")
        .and_then(|meta| meta.get("progressToken"));
    if !token.is_none_or(is_id) {
        return Err(RpcError::new(
            INVALID_PARAMS,
            "params._meta.progressToken is not a string or whole number of at most 1024 bytes",
        ));
    }
    let response = match run_tool(context, tool, arguments).await {
        Ok(outcome) => respond(context, version, request, token, outcome).await,
        Err(refusal) => Err(refusal),
    };
    Ok(response.unwrap_or_else(|refusal| {
        RpcResponse::Result(
            content::complete(version, content::refusal(&refusal)),
            refusal.code,
        )
    }))
}

async fn run_tool(
    context: &RequestContext<'_>,
    tool: Tool,
    arguments: Map<String, Value>,
) -> Result<ToolOutcome, Refusal> {
    match tool {
        Tool::Create(capability) => create(context, capability, arguments).await,
        Tool::GetTask => read(context, &Value::Object(arguments)).await,
        Tool::RequestUpload => {
            let upload = operations::request_upload(context, &Value::Object(arguments)).await?;
            let next = next_of_upload(context.settings(), &upload);
            Ok(ToolOutcome::Done {
                result: upload,
                next: Some(next),
            })
        }
        Tool::UseUrl => {
            let file = operations::request_file(context, &Value::Object(arguments)).await?;
            Ok(moved(file))
        }
        Tool::UseOutput => {
            let file = operations::request_output(context, &Value::Object(arguments)).await?;
            Ok(moved(file))
        }
        Tool::ListTasks => list(context, &Value::Object(arguments))
            .await
            .map(without_next),
        Tool::RunPipeline => run_pipeline(context, arguments).await,
        Tool::GetPipeline => pipeline(
            context,
            pipelines::get(context, &Value::Object(arguments)).await?,
        ),
        Tool::ResumePipeline => pipeline(
            context,
            pipelines::resume(context, &Value::Object(arguments)).await?,
        ),
        Tool::CancelPipeline => pipeline(
            context,
            pipelines::cancel(context, &Value::Object(arguments)).await?,
        ),
        Tool::ListOptions => options(context, &Value::Object(arguments))
            .await
            .map(without_next),
        Tool::EstimateCredits => estimate(context, Value::Object(arguments)).await,
    }
}

/// The outcome of a call that returns only data.
fn without_next(result: Value) -> ToolOutcome {
    ToolOutcome::Done { result, next: None }
}

/// The outcome of a call that moves a file.
fn moved(file: Value) -> ToolOutcome {
    let next = file.get("file_id").is_none().then(|| CALL_AGAIN.to_owned());
    ToolOutcome::Done { result: file, next }
}

/// The outcome of a call that waits for files before it creates something: the progress so far.
fn not_created(progress: Value) -> ToolOutcome {
    ToolOutcome::Done {
        result: progress,
        next: Some(NOT_CREATED.to_owned()),
    }
}

/// The outcome of a call that returned a pipeline.
fn pipeline(context: &RequestContext<'_>, data: Value) -> Result<ToolOutcome, Refusal> {
    let next = pipelines::next_step(&context.settings().mcp.tool_prefix, &data);
    Ok(ToolOutcome::Done { result: data, next })
}

async fn create(
    context: &RequestContext<'_>,
    capability: &'static Capability,
    mut arguments: Map<String, Value>,
) -> Result<ToolOutcome, Refusal> {
    let key = take_key(&mut arguments).map_err(|refusal| refusal.of_create(Outcome::NotSent))?;
    let authorized = context.caller.authorize(capability);
    authorized.map_err(|refusal| refusal.of_create(Outcome::NotSent))?;
    let mut fields = Value::Object(arguments);
    // Check the fields first: nothing is loaded for a create that would be refused.
    let moved = match operations::check_fields(capability, &fields) {
        Ok(()) => {
            let input = Input {
                capability,
                fields: &mut fields,
                path: String::new(),
            };
            move_files(context, [input]).await
        }
        Err(refusal) => Err(refusal),
    };
    if let Some(progress) = moved.map_err(|refusal| refusal.of_create(Outcome::NotSent))? {
        return Ok(not_created(progress));
    }
    let outcome = operations::create_task(context, capability, key, &fields)
        .await?
        .outcome;
    let created_at = outcome.created_at;
    outcome
        .into_result()
        .map(|data| ToolOutcome::Created { data, created_at })
}

async fn run_pipeline(
    context: &RequestContext<'_>,
    arguments: Map<String, Value>,
) -> Result<ToolOutcome, Refusal> {
    let mut request = PipelineRequest::read(arguments)?;
    match move_files(context, request.inputs()).await? {
        Some(progress) => Ok(not_created(progress)),
        None => pipeline(context, request.run(context).await?),
    }
}

async fn estimate(
    context: &RequestContext<'_>,
    mut request: Value,
) -> Result<ToolOutcome, Refusal> {
    let capability = request["capability"].as_str().and_then(find);
    let input = request.get_mut("input");
    // `fetch_estimate` refuses a request without a capability or an input.
    if let Some((capability, fields)) = capability.zip(input) {
        // The key is an argument of the tool, and not a field of the capability.
        if let Some(members) = fields.as_object_mut() {
            members.remove(KEY);
        }
        let path = "input.".to_owned();
        let input = Input {
            capability,
            fields,
            path,
        };
        if let Some(progress) = move_files(context, [input]).await? {
            return Ok(not_created(progress));
        }
    }
    let estimate = operations::fetch_estimate(context, &request).await?;
    Ok(without_next(content::object("estimate", estimate)))
}

async fn read(context: &RequestContext<'_>, arguments: &Value) -> Result<ToolOutcome, Refusal> {
    check(&TASK_FIELDS, arguments)?;
    let sealed = arguments["task_id"].as_str().unwrap_or_default();
    let Some(task) = operations::unseal_task(context, sealed) else {
        // The id may name a result that came without a task, which has nothing to wait for.
        let entry = operations::unseal_entry(context, sealed)
            .ok_or_else(|| Refusal::from(Reason::UnknownTask))?;
        return operations::read_result(context, entry)
            .await
            .map(ToolOutcome::Result);
    };
    let wait = wait_seconds(context, arguments)?;
    let data = operations::read_task(context, &task).await?;
    Ok(ToolOutcome::Read { task, data, wait })
}

async fn list(context: &RequestContext<'_>, arguments: &Value) -> Result<Value, Refusal> {
    check(&TASKS_FIELDS, arguments)?;
    let limit = arguments["limit"].as_f64();
    let limit = limit.map(|limit| (limit as i64).to_string());
    operations::list_tasks(context, limit.as_deref(), arguments["cursor"].as_str()).await
}

async fn options(context: &RequestContext<'_>, arguments: &Value) -> Result<Value, Refusal> {
    check(&OPTIONS_FIELDS, arguments)?;
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
    if settings.models_path.is_some() && arguments["catalogue"] != false {
        options["catalogue"] = operations::fetch_models(context).await?;
    }
    Ok(options)
}

/// Responds with the result. If the client requests progress notifications and the task still runs,
/// responds with a stream of them that ends with the result.
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
        is_create,
    };
    let (report, task, data, wait) = match outcome {
        ToolOutcome::Done { result, next } => return done(content::tool(result, next)),
        ToolOutcome::Result(data) => return done(report(false).result(data)),
        ToolOutcome::Created { data, created_at } => {
            let report = report(true);
            // The id is sealed for the caller. A create may return a result without a task.
            let task = data["task"]["id"]
                .as_str()
                .and_then(|sealed| operations::unseal_task(context, sealed));
            let Some(task) = task.filter(|_| content::is_running(&data)) else {
                return done(report.result(data));
            };
            if version == (ProtocolVersion::Modern { tasks: true }) {
                return done(tasks::created(context, &task, &data, created_at));
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
