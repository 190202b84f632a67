use std::collections::BTreeMap;

use mediagate_access::crypto::hash;
use mediagate_access::identity::{Credits, Limit, LimitName, Planned};
use mediagate_access::refusal::Refusal;
use mediagate_core::{Outcome, Reason};
use mediagate_messages::pipeline::{
    Cancel, Forget, Found, Grant, PipelineMessage, Read, ReadResumable, Resumable, Resume, Start,
    send_to_pipeline, subscribe_to_pipeline,
};
use mediagate_messages::{Message, PipelineName, Request, write_results};
use mediagate_pipeline::{Plan, Step, StoredPlan};
use mediagate_platform::random_name;
use serde_json::{Value, json};

use super::RequestContext;
use super::create::{exceeded, idempotency_key, max_credits};
use super::pipeline_plan::{authorize, prepare_step, read_plan};
use super::status::{MAX_STREAM_MS, unseal_name};
use crate::reply::Reply;

/// The longest request, in bytes of JSON. The object stores the bodies in a request.
const MAX_REQUEST_BYTES: usize = 200_000;

/// `POST /api/app/v1/pipelines` with `{title, steps}`. Starts a pipeline, at most once for an
/// idempotency key.
pub(crate) async fn start_pipeline(context: &RequestContext<'_>) -> Result<Value, Refusal> {
    let request = context
        .read_json()
        .await
        .map_err(|refusal| refusal.of_create(Outcome::NotSent))?;
    let key = context.incoming.header("idempotency-key");
    run_pipeline(context, key, &request).await
}

/// Starts a pipeline for a request of any interface. 400 with everything that is wrong with the
/// request; 403 for a step that the scope does not allow; 429 if its creates exceed the budget, or
/// too many pipelines run.
pub(crate) async fn run_pipeline(
    context: &RequestContext<'_>,
    key: Option<String>,
    request: &Value,
) -> Result<Value, Refusal> {
    let started = start(context, key, request).await;
    started.map_err(|refusal| match refusal.status {
        // The object did not respond, so the pipeline may have started.
        500 => refusal,
        _ => refusal.of_create(Outcome::NotSent),
    })
}

/// Checks a request as [`run_pipeline`] does, and starts nothing, so that no file is loaded for a
/// pipeline that would be refused. The inputs have an id in the place of each file that is not
/// loaded yet ([`RequestContext::unloaded_file`]).
pub(crate) async fn check_pipeline(
    context: &RequestContext<'_>,
    key: Option<String>,
    request: &Value,
) -> Result<(), Refusal> {
    let start = PipelineStart::read(context, key, request)?;
    // A repetition gets the started pipeline, whatever is left of the budget.
    if start.may_be_repeated(context).await? {
        return Ok(());
    }
    start.prepare(context).await?;
    let PipelineStart { name, plan, .. } = start;
    let title = plan.title.as_deref();
    let ledgers = context.ledgers();
    ledgers
        .check_pipeline(&name, title, planned(&plan), &grant(context))
        .await
}

async fn start(
    context: &RequestContext<'_>,
    key: Option<String>,
    request: &Value,
) -> Result<Value, Refusal> {
    let start = PipelineStart::read(context, key, request)?;
    if start.may_be_repeated(context).await? {
        // A repetition gets the started pipeline, although the model catalogue or the budget may
        // have changed.
        let read = Read {
            fingerprint: Some(start.fingerprint.clone()),
        };
        if let Some(data) = send(context, &start.name, read).await?? {
            return Ok(data);
        }
    }
    let bodies = start.prepare(context).await?;
    let grant = grant(context);
    let PipelineStart {
        name,
        plan,
        token,
        fingerprint,
        ..
    } = start;
    let title = plan.title.as_deref();
    let ledgers = context.ledgers();
    ledgers
        .reserve_pipeline(&name, title, planned(&plan), &grant)
        .await?;
    let request = Start {
        name: name.clone(),
        token,
        inputs: plan.steps.iter().map(|step| step.input.clone()).collect(),
        plan: StoredPlan::from(&plan),
        bodies,
        fingerprint,
        public_url: context.public_url.clone(),
        grant,
    };
    send(context, &name, request).await?
}

/// A request for a pipeline, whose plan is valid and within the token's scope.
struct PipelineStart {
    name: PipelineName,
    has_key: bool,
    plan: Plan,
    /// The token of the plan's placeholders.
    token: String,
    fingerprint: String,
}

impl PipelineStart {
    /// Reads a request. Uses no object, so that a refused caller leaves nothing behind. 404 if the
    /// gateway runs no pipelines; 400 for a key or a request of another form; 403 for a step that
    /// the scope does not allow.
    fn read(
        context: &RequestContext<'_>,
        key: Option<String>,
        request: &Value,
    ) -> Result<Self, Refusal> {
        check_enabled(context)?;
        let key = idempotency_key(key)?;
        let text = request.to_string();
        if text.len() > MAX_REQUEST_BYTES {
            return Err(Refusal::too_large(MAX_REQUEST_BYTES));
        }
        let (plan, token) = read_plan(context, request)?;
        let name = key
            .as_ref()
            .map_or_else(random_name, |key| hash(&["pipeline", key]));
        Ok(PipelineStart {
            name: PipelineName {
                subject: context.caller.subject.clone(),
                name,
            },
            has_key: key.is_some(),
            plan,
            token,
            fingerprint: hash(&[&text]),
        })
    }

    /// Returns true if an earlier request with the key has started the pipeline. 500 if the ledger
    /// does not respond.
    async fn may_be_repeated(&self, context: &RequestContext<'_>) -> Result<bool, Refusal> {
        Ok(self.has_key && context.ledgers().has_pipeline(&self.name).await?)
    }

    /// Prepares the bodies of the creates. Fails if [`prepare_step`] does.
    async fn prepare(&self, context: &RequestContext<'_>) -> Result<Vec<Value>, Refusal> {
        let mut bodies = Vec::new();
        for step in &self.plan.steps {
            bodies.push(prepare_step(context, step).await?);
        }
        check_prices(context, self.plan.steps.iter().zip(&bodies))?;
        Ok(bodies)
    }
}

/// Checks what the steps cost together. Reserves nothing: each create reserves its own price. 422
/// if `Max-Credits` is lower, or if a price that is needed is unknown; 429 if a whole budget is
/// lower.
fn check_prices<'b>(
    context: &RequestContext<'_>,
    steps: impl Iterator<Item = (&'b Step, &'b Value)>,
) -> Result<(), Refusal> {
    let max = max_credits(context)?;
    let pool = context.pool().and_then(|pool| pool.credits);
    let budget = context.budget().credits.into_iter().chain(pool).min();
    if max.or(budget).is_none() {
        return Ok(());
    }
    let mut sum = 0;
    for (step, body) in steps {
        let price = context.settings().prices.expected(step.capability, body);
        let price = price.ok_or_else(|| {
            let refusal = Refusal::from(Reason::PriceUnknown);
            refusal.with("step", step.name.as_str())
        })?;
        sum += price.millionths();
    }
    if let Some(refusal) = exceeded(max, Some(Credits::from_millionths(sum))) {
        return Err(refusal);
    }
    match budget.map(Credits::millionths) {
        Some(budget) if sum > budget => {
            let limit = Limit {
                name: LimitName::Credits,
                max: budget,
                left: budget,
                reset: 0,
            };
            Err(limit.refusal())
        }
        _ => Ok(()),
    }
}

fn planned(plan: &Plan) -> Planned {
    Planned::count(plan.steps.iter().map(|step| step.capability.group()))
}

/// `GET /api/app/v1/pipelines/{id}`. 404 if the pipeline is unknown.
pub(crate) async fn read_pipeline(
    context: &RequestContext<'_>,
    sealed: &str,
) -> Result<Value, Refusal> {
    let read = Read { fingerprint: None };
    let mut data = of_pipeline(context, sealed, read).await?;
    add_results(context, &mut data["pipeline"]).await;
    Ok(data)
}

/// Writes the states of results into the outputs of the steps, and of the pipeline.
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
        // If the ledger does not respond, the outputs have only their URLs.
        if let Ok(results) = context.ledgers().results(subject, &task).await {
            write_results(step, &results.states);
        }
        outputs.extend(step["outputs"].as_array().into_iter().flatten().cloned());
    }
    // The pipeline's own outputs are copies of outputs of its last steps.
    for output in pipeline["outputs"].as_array_mut().into_iter().flatten() {
        let mut known = outputs.iter();
        let copied = known.find(|known| known["url"] == output["url"] && known["url"].is_string());
        if let Some(copied) = copied {
            output.clone_from(copied);
        }
    }
}

/// `GET /api/app/v1/pipelines/{id}/events`: each change as a server-sent event, from the one after
/// `Last-Event-ID`. 404 if the pipeline is unknown.
pub(crate) async fn pipeline_events(
    context: &RequestContext<'_>,
    sealed: &str,
) -> Result<Reply, Refusal> {
    let name = named(context, sealed)?;
    let request = context.stream_request(context.last_event_id(), MAX_STREAM_MS);
    let stream =
        subscribe_to_pipeline(context.env, &context.settings().tenant, &name, request).await?;
    let stream = stream.ok_or(Reason::UnknownPipeline)?;
    Ok(Reply::events(stream.body()))
}

/// `POST /api/app/v1/pipelines/{id}/resume`. Begins the steps again that failed, were skipped or
/// were cancelled. They are prepared like those of a new pipeline, with the token of this request:
/// the token that started the pipeline may have been allowed more.
///
/// 404 if the pipeline is unknown; 403 for a step that the scope does not allow; 400 for an asset
/// or a field that the caller may not use; 409 if no step can begin again; 429 if the creates
/// exceed the budget, or too many pipelines run.
pub(crate) async fn resume_pipeline(
    context: &RequestContext<'_>,
    sealed: &str,
) -> Result<Value, Refusal> {
    check_enabled(context)?;
    let Resumable {
        plan,
        token,
        inputs,
        steps,
    } = of_pipeline(context, sealed, ReadResumable).await?;
    let plan = plan.with_inputs(inputs).ok_or(Reason::PipelineFailed)?;
    let steps: Vec<(usize, &Step)> = steps
        .into_iter()
        .filter_map(|number| Some((number, plan.steps.get(number)?)))
        .collect();
    authorize(
        context,
        &steps.iter().map(|(_, step)| *step).collect::<Vec<_>>(),
    )?;
    let mut bodies = BTreeMap::new();
    for (number, step) in &steps {
        bodies.insert(*number, prepare_step(context, step).await?);
    }
    // Both are in the order of the steps' numbers.
    let steps = steps.iter().map(|(_, step)| *step);
    check_prices(context, steps.zip(bodies.values()))?;
    let resume = Resume {
        token,
        bodies,
        grant: grant(context),
    };
    of_pipeline(context, sealed, resume).await
}

/// `POST /api/app/v1/pipelines/{id}/cancel`. Prevents creates that are not sent yet. 404 if the
/// pipeline is unknown.
pub(crate) async fn cancel_pipeline(
    context: &RequestContext<'_>,
    sealed: &str,
) -> Result<Value, Refusal> {
    of_pipeline(context, sealed, Cancel).await
}

/// `DELETE /api/app/v1/pipelines/{id}`. Removes a pipeline that has ended. The response is the same
/// if it was removed before. 404 if the id is not one of the caller's; 409 if the pipeline still
/// runs.
pub(crate) async fn forget_pipeline(
    context: &RequestContext<'_>,
    sealed: &str,
) -> Result<Value, Refusal> {
    let name = named(context, sealed)?;
    send(context, &name, Forget).await??;
    context.ledgers().forget_pipeline(&name).await?;
    Ok(json!({}))
}

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

/// Sends a request to the pipeline with this id. 404 if it is unknown; 500 if its object does not
/// respond; also the refusal of the pipeline.
async fn of_pipeline<R, T>(
    context: &RequestContext<'_>,
    sealed: &str,
    request: R,
) -> Result<T, Refusal>
where
    R: Request<Message = PipelineMessage, Response = Found<T>>,
{
    let name = named(context, sealed)?;
    let found = send(context, &name, request).await??;
    found.ok_or_else(|| Refusal::from(Reason::UnknownPipeline))
}

/// Sends a request to a pipeline. 500 if its object does not respond.
async fn send<R: Request<Message = PipelineMessage>>(
    context: &RequestContext<'_>,
    name: &PipelineName,
    request: R,
) -> Result<R::Response, Refusal> {
    send_to_pipeline(context.env, &context.settings().tenant, name, request).await
}

fn named(context: &RequestContext<'_>, sealed: &str) -> Result<PipelineName, Refusal> {
    check_bound(context)?;
    let name = PipelineName::unseal(&context.upstream.sealer, &context.caller.subject, sealed);
    name.ok_or_else(|| Refusal::from(Reason::UnknownPipeline))
}

/// Checks that the gateway has the objects of pipelines. Pipelines that were started can be read,
/// stopped and removed whatever the settings are.
fn check_bound(context: &RequestContext<'_>) -> Result<(), Refusal> {
    let object = context.env.durable_object(PipelineMessage::BINDING);
    object.map(drop).map_err(|_| disabled())
}

fn check_enabled(context: &RequestContext<'_>) -> Result<(), Refusal> {
    if context.settings().pipelines.steps > 0 {
        check_bound(context)
    } else {
        Err(disabled())
    }
}

fn disabled() -> Refusal {
    let message = "this gateway runs no pipelines; its operator can set PIPELINE_STEPS, and \
        bind the Durable Object PIPELINE";
    Refusal::new(Reason::UnknownPath, message)
}
