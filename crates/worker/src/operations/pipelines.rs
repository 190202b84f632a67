//! Starts pipelines, reads them, and has them go on or stop.

use std::collections::BTreeMap;

use mediagate_core::{Outcome, Reason};
use mediagate_pipeline::{Step, StoredPlan};
use serde_json::{Value, json};

use super::RequestContext;
use super::body::read_json;
use super::create::idempotency_key;
use super::pipeline_plan::{authorize, prepare_step, read_plan};
use super::status::{MAX_STREAM_MS, unseal_name};
use crate::crypto::hash;
use crate::identity::Planned;
use crate::objects::{
    Grant, NewPipeline, PIPELINE_BINDING, PipelineCount, PipelineName, PipelineReport,
    PipelineRequest, Resumption, StreamClient, StreamRequest, send_to_pipeline,
    subscribe_to_pipeline, write_results,
};
use crate::platform::{now_ms, random_name};
use crate::refusal::Refusal;
use crate::reply::Reply;

/// The longest request, in bytes of JSON: the object stores its bodies.
const MAX_REQUEST_BYTES: usize = 200_000;

/// `POST /api/app/v1/pipelines` with `{title, steps}`: the pipeline as it starts, at most once for an idempotency key.
pub(crate) async fn start_pipeline(context: &RequestContext<'_>) -> Result<Reply, Refusal> {
    let request = read_json(context)
        .await
        .map_err(|it| it.of_create(Outcome::NotSent))?;
    run_pipeline(
        context,
        context.incoming.header("idempotency-key"),
        &request,
    )
    .await
    .map(Reply::ok)
}

/// The same for any caller's request.
///
/// # Errors
/// 400 with everything that is wrong with the request; 403 for a step that the scope does not allow; 429 where its creates
/// exceed the budget, or too many pipelines run.
pub(crate) async fn run_pipeline(
    context: &RequestContext<'_>,
    key: Option<String>,
    request: &Value,
) -> Result<Value, Refusal> {
    // Where the object did not respond, it may have started.
    let is_known = |it: &Refusal| it.status != 500;
    let not_sent = |it: Refusal| {
        if is_known(&it) {
            it.of_create(Outcome::NotSent)
        } else {
            it
        }
    };
    start(context, key, request).await.map_err(not_sent)
}

async fn start(
    context: &RequestContext<'_>,
    key: Option<String>,
    request: &Value,
) -> Result<Value, Refusal> {
    check_enabled(context)?;
    let key = idempotency_key(key)?;
    let text = request.to_string();
    if text.len() > MAX_REQUEST_BYTES {
        return Err(Refusal::too_large(MAX_REQUEST_BYTES));
    }
    let fingerprint = hash(&[&text]);
    let name = PipelineName {
        subject: context.caller.subject.clone(),
        name: key
            .as_ref()
            .map_or_else(random_name, |it| hash(&["pipeline", it])),
    };
    // Before any object is asked: whoever may start nothing leaves nothing behind.
    let (plan, token) = read_plan(context, request)?;
    if key.is_some() && context.ledgers().has_pipeline(&name).await? {
        // What was started is reported, whatever the model catalogue or the budget says meanwhile.
        if let PipelineReport::Pipeline(data) =
            send(context, &name, read(Some(&fingerprint))).await?
        {
            return Ok(data);
        }
    }
    let mut bodies = Vec::new();
    for step in &plan.steps {
        bodies.push(prepare_step(context, step).await?);
    }
    let inputs = plan.steps.iter().map(|step| step.input.clone()).collect();
    let planned = Planned::count(plan.steps.iter().map(|step| step.capability.group()));
    let grant = grant(context);
    let count = PipelineCount {
        title: plan.title.clone(),
        planned,
        budget: grant.budget,
        pool: grant.pool,
    };
    let plan = StoredPlan::from(&plan);
    let new = NewPipeline {
        name: name.clone(),
        plan,
        token,
        inputs,
        bodies,
        fingerprint,
        public_url: context.public_url.clone(),
        grant,
    };
    context.ledgers().reserve_pipeline(&name, &count).await?;
    match send(context, &name, PipelineRequest::Start(Box::new(new))).await? {
        PipelineReport::Pipeline(data) => Ok(data),
        _ => Err(Refusal::from(Reason::PipelineFailed)),
    }
}

/// `GET /api/app/v1/pipelines/{id}`
pub(crate) async fn pipeline(context: &RequestContext<'_>, sealed: &str) -> Result<Reply, Refusal> {
    read_pipeline(context, sealed).await.map(Reply::ok)
}

/// A pipeline of the caller's.
///
/// # Errors
/// 404 where it is unknown.
pub(crate) async fn read_pipeline(
    context: &RequestContext<'_>,
    sealed: &str,
) -> Result<Value, Refusal> {
    let mut data = of_pipeline(context, sealed, read(None)).await?;
    add_results(context, &mut data["pipeline"]).await;
    Ok(data)
}

/// Writes what became of the outputs of a pipeline's steps.
async fn add_results(context: &RequestContext<'_>, pipeline: &mut Value) {
    if context.settings().results.is_none() {
        return;
    }
    let mut outputs = Vec::new();
    for step in pipeline["steps"].as_array_mut().into_iter().flatten() {
        let task = step["task_id"].as_str();
        let Some(task) = task.and_then(|sealed| unseal_name(context, sealed)) else {
            continue;
        };
        let subject = &context.caller.subject;
        if let Ok(results) = context.ledgers().results(subject, &task).await {
            write_results(step, &results.states);
        }
        outputs.extend(step["outputs"].as_array().into_iter().flatten().cloned());
    }
    // The pipeline's own are those of some of its steps.
    for output in pipeline["outputs"].as_array_mut().into_iter().flatten() {
        let same = |other: &&Value| other["url"] == output["url"] && other["url"].is_string();
        if let Some(known) = outputs.iter().find(same) {
            output.clone_from(known);
        }
    }
}

/// `GET /api/app/v1/pipelines/{id}/events`: each change of it as a server-sent event, from the one after `Last-Event-ID`.
pub(crate) async fn pipeline_events(
    context: &RequestContext<'_>,
    sealed: &str,
) -> Result<Reply, Refusal> {
    let name = named(context, sealed)?;
    let last_event_id = context
        .incoming
        .header("last-event-id")
        .and_then(|it| it.parse().ok())
        .unwrap_or(0);
    let until = (now_ms() + MAX_STREAM_MS).min(context.caller.until * 1000.0) as i64;
    let request = StreamRequest {
        last_event_id,
        until,
        client: Some(StreamClient::of(context.incoming)),
    };
    let stream =
        subscribe_to_pipeline(context.env, &context.settings().tenant, &name, request).await?;
    let stream = stream.ok_or(Reason::UnknownPipeline)?;
    Ok(Reply::events(stream.body()))
}

/// `POST /api/app/v1/pipelines/{id}/resume`: what did not succeed begins again, with what the caller's token allows now.
pub(crate) async fn resume_pipeline(
    context: &RequestContext<'_>,
    sealed: &str,
) -> Result<Reply, Refusal> {
    request_resume(context, sealed).await.map(Reply::ok)
}

/// Resumes a pipeline. The steps that begin again are prepared like those of a new one, with the token of whoever resumes it:
/// the token that started it may have been allowed more.
///
/// # Errors
/// 404 if it is unknown; 403 for a step that the scope does not allow; 400 for an asset or a field that the caller may not use;
/// 409 if nothing of it can begin again; 429 if its creates exceed the budget, or too many pipelines run.
pub(crate) async fn request_resume(
    context: &RequestContext<'_>,
    sealed: &str,
) -> Result<Value, Refusal> {
    check_enabled(context)?;
    let name = named(context, sealed)?;
    let PipelineReport::Resumable {
        plan,
        token,
        inputs,
        steps,
    } = send(context, &name, PipelineRequest::ReadResumable).await?
    else {
        return Err(Refusal::from(Reason::UnknownPipeline));
    };
    let plan = plan
        .with_inputs(inputs)
        .ok_or_else(|| Refusal::from(Reason::PipelineFailed))?;
    let steps: Vec<(usize, &Step)> = steps
        .into_iter()
        .filter_map(|number| Some((number, plan.steps.get(number)?)))
        .collect();
    authorize(
        context,
        &steps.iter().map(|(_, step)| *step).collect::<Vec<_>>(),
    )?;
    let mut bodies = BTreeMap::new();
    for (number, step) in steps {
        bodies.insert(number, prepare_step(context, step).await?);
    }
    let resumption = Resumption {
        token,
        bodies,
        grant: grant(context),
    };
    of_pipeline(
        context,
        sealed,
        PipelineRequest::Resume(Box::new(resumption)),
    )
    .await
}

/// `POST /api/app/v1/pipelines/{id}/cancel`: what is not sent yet is not sent.
pub(crate) async fn cancel_pipeline(
    context: &RequestContext<'_>,
    sealed: &str,
) -> Result<Reply, Refusal> {
    request_cancel(context, sealed).await.map(Reply::ok)
}

/// The same for any caller's request.
///
/// # Errors
/// 404 where it is unknown.
pub(crate) async fn request_cancel(
    context: &RequestContext<'_>,
    sealed: &str,
) -> Result<Value, Refusal> {
    of_pipeline(context, sealed, PipelineRequest::Cancel).await
}

/// `DELETE /api/app/v1/pipelines/{id}`: removes a pipeline that has ended. The response is the same for one that was removed
/// before.
pub(crate) async fn forget_pipeline(
    context: &RequestContext<'_>,
    sealed: &str,
) -> Result<Reply, Refusal> {
    let name = named(context, sealed)?;
    send(context, &name, PipelineRequest::Forget).await?;
    context.ledgers().forget_pipeline(&name).await?;
    Ok(Reply::ok(json!({})))
}

fn read(fingerprint: Option<&String>) -> PipelineRequest {
    PipelineRequest::Read {
        fingerprint: fingerprint.cloned(),
    }
}

/// What the caller's token allows.
fn grant(context: &RequestContext<'_>) -> Grant {
    let caller = context.caller;
    Grant {
        budget: context.budget(),
        pool: context.pool(),
        watch: caller.watch,
        issued_at: caller.issued_at,
        token_id: caller.token_id.clone(),
    }
}

async fn of_pipeline(
    context: &RequestContext<'_>,
    sealed: &str,
    request: PipelineRequest,
) -> Result<Value, Refusal> {
    let name = named(context, sealed)?;
    match send(context, &name, request).await? {
        PipelineReport::Pipeline(data) => Ok(data),
        _ => Err(Refusal::from(Reason::UnknownPipeline)),
    }
}

/// Sends a request to a pipeline, and returns what it reports.
async fn send(
    context: &RequestContext<'_>,
    name: &PipelineName,
    request: PipelineRequest,
) -> Result<PipelineReport, Refusal> {
    match send_to_pipeline(context.env, &context.settings().tenant, name, request).await? {
        PipelineReport::Refused(refusal) => Err(refusal.into()),
        report => Ok(report),
    }
}

/// The pipeline of the caller's that a sealed id names.
fn named(context: &RequestContext<'_>, sealed: &str) -> Result<PipelineName, Refusal> {
    check_bound(context)?;
    let name = PipelineName::unseal(&context.upstream.sealer, &context.caller.subject, sealed);
    name.ok_or_else(|| Refusal::from(Reason::UnknownPipeline))
}

/// Pipelines that were started can be read, stopped and removed whatever the settings say.
fn check_bound(context: &RequestContext<'_>) -> Result<(), Refusal> {
    if context.env.durable_object(PIPELINE_BINDING).is_ok() {
        Ok(())
    } else {
        Err(disabled())
    }
}

/// Whether the gateway starts pipelines: its settings allow steps, and it has the objects.
fn check_enabled(context: &RequestContext<'_>) -> Result<(), Refusal> {
    if context.settings().pipelines.steps > 0 {
        check_bound(context)
    } else {
        Err(disabled())
    }
}

fn disabled() -> Refusal {
    let message = "this gateway runs no pipelines; its operator can set PIPELINE_STEPS, and bind the Durable Object PIPELINE";
    Refusal::new(Reason::UnknownPath, message)
}
