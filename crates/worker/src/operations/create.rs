use mediagate_access::identity::{Credits, Limit};
use mediagate_access::refusal::Refusal;
use mediagate_core::{Capability, Outcome, Reason};
use mediagate_messages::ledger::{Create, CreateResponse};
use mediagate_upstream_client::CreateBody;
use serde_json::Value;

use super::RequestContext;
use super::prepare::{Prepared, prepare};
use crate::reply::Reply;

/// The longest idempotency key, in characters.
const MAX_KEY_LEN: usize = 255;

/// `POST` to the path of a capability. Creates a task, at most once for an idempotency key.
/// Refusals have the effect of the create on the account in `data.outcome`.
pub(crate) async fn create(
    context: &RequestContext<'_>,
    capability: &Capability,
) -> Result<Reply, Refusal> {
    // Authorise before reading the body, so that a caller without the scope can't make the gateway
    // parse it.
    context.caller.authorize(capability).map_err(not_sent)?;
    let input = context.read_json().await.map_err(not_sent)?;
    let key = context.incoming.header("idempotency-key");
    to_reply(create_task(context, capability, key, &input).await?)
}

/// Creates a task, at most once for an idempotency key. The caller must have checked the scope. The
/// error is a refusal before the ledger is asked. Every later refusal is the `outcome` of the
/// response.
pub(crate) async fn create_task(
    context: &RequestContext<'_>,
    capability: &Capability,
    key: Option<String>,
    input: &Value,
) -> Result<CreateResponse, Refusal> {
    let command = prepare_command(context, capability, key, input)
        .await
        .map_err(not_sent)?;
    let response = context.ledgers().create(command).await;
    context.client().add_upstream_ms(response.upstream_ms);
    Ok(response)
}

/// Checks a create as [`create_task`] does, and sends nothing, so that no file is loaded for a
/// create that would be refused. The caller must have checked the scope. `input` has an id in the
/// place of each file that is not loaded yet ([`RequestContext::unloaded_file`]). 429 if the
/// subject's budget is used up.
pub(crate) async fn check_create(
    context: &RequestContext<'_>,
    capability: &Capability,
    key: Option<String>,
    input: &Value,
) -> Result<(), Refusal> {
    let command = prepare_command(context, capability, key, input).await?;
    let subject = &context.caller.subject;
    let ledgers = context.ledgers();
    // A repetition gets its stored outcome, whatever is left of the budget.
    if let Some(key) = &command.key
        && ledgers.may_have(subject, capability, key).await
    {
        return Ok(());
    }
    let group = capability.group();
    ledgers
        .check_budget(subject, group, command.budget, command.expected)
        .await
}

fn not_sent(refusal: Refusal) -> Refusal {
    refusal.of_create(Outcome::NotSent)
}

async fn prepare_command(
    context: &RequestContext<'_>,
    capability: &Capability,
    key: Option<String>,
    input: &Value,
) -> Result<Create, Refusal> {
    let key = idempotency_key(key)?;
    let max_credits = max_credits(context)?;
    let Prepared { body, excluded } = prepare(context, capability, input).await?;
    let subject = &context.caller.subject;
    let ledgers = context.ledgers();
    let expected = context.settings().prices.expected(capability, &body);
    let command = Create {
        capability: capability.name().to_owned(),
        key,
        body: CreateBody::new(capability, &body),
        budget: context.budget(),
        watch: context.caller.watch,
        public_url: context.public_url.clone(),
        pool: context.pool(),
        subject: subject.clone(),
        pipeline: None,
        expected,
        excluded: excluded.or(exceeded(max_credits, expected)),
    };
    if let Some(refusal) = command.exclusion() {
        // A repetition gets the stored outcome, although the model catalogue, prices and
        // Max-Credits may have changed. The ledger refuses a key that it does not have.
        let is_repetition = match &command.key {
            Some(key) => ledgers.may_have(subject, capability, key).await,
            None => false,
        };
        if !is_repetition {
            return Err(refusal);
        }
    }
    // The ledger that all anonymous callers share is asked first, because a refused create must not
    // start a ledger for each of any number of callers. The caller's own ledger then reserves the
    // create in the shared one.
    if let Some(pool) = command.pool {
        ledgers
            .check_pool(subject, capability.group(), pool, expected)
            .await?;
    }
    Ok(command)
}

/// Reads the header `Max-Credits`. 422 unless it is a number of credits.
pub(super) fn max_credits(context: &RequestContext<'_>) -> Result<Option<Credits>, Refusal> {
    let Some(text) = context.incoming.header("max-credits") else {
        return Ok(None);
    };
    let message = "Max-Credits is not a number of credits; give one such as 20 or 12.5";
    let number = Credits::parse(&text);
    number
        .map(Some)
        .ok_or_else(|| Refusal::new(Reason::MaxCredits, message))
}

/// Returns the refusal of creates that cost more than their caller allows, or an unknown price.
pub(super) fn exceeded(max: Option<Credits>, expected: Option<Credits>) -> Option<Refusal> {
    let max = max?;
    let Some(expected) = expected else {
        return Some(Refusal::from(Reason::PriceUnknown));
    };
    let message = format!(
        "this costs {expected} credits, and Max-Credits is {max}; ask for something cheaper, or \
         give a higher Max-Credits"
    );
    let refusal = Refusal::new(Reason::MaxCredits, message);
    (expected > max).then(|| refusal.with("expected_credits", expected.to_json()))
}

/// Checks the form of an idempotency key. 400 for any other form.
pub(super) fn idempotency_key(key: Option<String>) -> Result<Option<String>, Refusal> {
    match key {
        Some(key) if !is_key(&key) => Err(Refusal::from(Reason::IdempotencyKey)),
        key => Ok(key),
    }
}

fn is_key(text: &str) -> bool {
    (1..=MAX_KEY_LEN).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic())
}

fn to_reply(response: CreateResponse) -> Result<Reply, Refusal> {
    let mut headers = Limit::headers(&response.limits);
    if response.is_replayed {
        headers.push(("idempotent-replayed", "true".to_owned()));
    }
    match response.outcome {
        Ok(data) => {
            let mut reply = Reply::ok(data);
            headers
                .into_iter()
                .for_each(|(name, value)| reply.header(name, value));
            Ok(reply)
        }
        Err(refusal) => Err(Refusal { headers, ..refusal }),
    }
}
