//! Creates a task.

use mediagate_core::{Capability, Outcome, Reason};
use serde_json::Value;

use super::RequestContext;
use super::body::read_json;
use super::prepare::{Prepared, prepare};
use crate::identity::Limit;
use crate::objects::{CreateCommand, CreateResponse};
use crate::refusal::Refusal;
use crate::reply::Reply;
use crate::upstream::CreateBody;

/// Longest idempotency key, in characters.
const MAX_KEY_LEN: usize = 255;

/// `POST /api/app/v1/{capability}`, at most once for an idempotency key. A refusal says what it did to the account.
pub(crate) async fn create(
    context: &RequestContext<'_>,
    capability: &Capability,
) -> Result<Reply, Refusal> {
    // Authorise before reading the body.
    context.caller.authorize(capability).map_err(not_sent)?;
    let input = read_json(context).await.map_err(not_sent)?;
    reply(
        create_task(
            context,
            capability,
            context.incoming.header("idempotency-key"),
            &input,
        )
        .await?,
    )
}

/// Creates a task from an input, at most once for an idempotency key. The caller's scope must have been checked.
///
/// # Errors
/// A refusal before anything is sent. Where the upstream rejected the create, the response's `outcome` says so.
pub(crate) async fn create_task(
    context: &RequestContext<'_>,
    capability: &Capability,
    key: Option<String>,
    input: &Value,
) -> Result<CreateResponse, Refusal> {
    let command = command(context, capability, key, input)
        .await
        .map_err(not_sent)?;
    if let Some(pool) = command.pool {
        let ledgers = context.ledgers();
        ledgers
            .check_pool(&command.subject, capability.group(), pool)
            .await
            .map_err(not_sent)?;
    }
    let response = context.ledgers().create(command).await;
    context.client().add_upstream_ms(response.upstream_ms);
    Ok(response)
}

fn not_sent(refusal: Refusal) -> Refusal {
    refusal.of_create(Outcome::NotSent)
}

async fn command(
    context: &RequestContext<'_>,
    capability: &Capability,
    key: Option<String>,
    input: &Value,
) -> Result<CreateCommand, Refusal> {
    let key = idempotency_key(key)?;
    let Prepared { body, excluded } = prepare(context, capability, input).await?;
    let subject = context.caller.subject.clone();
    if let Some(refusal) = excluded
        && !is_repetition(context, capability, key.as_deref()).await
    {
        return Err(refusal);
    }
    Ok(CreateCommand {
        capability: capability.name().to_owned(),
        key,
        body: CreateBody::new(&body),
        budget: context.budget(),
        watch: context.caller.watch,
        public_url: context.public_url.clone(),
        pool: context.pool(),
        subject,
        pipeline: None,
    })
}

/// Whether a create with this key is stored: its outcome counts, whatever the model catalogue says meanwhile.
async fn is_repetition(
    context: &RequestContext<'_>,
    capability: &Capability,
    key: Option<&str>,
) -> bool {
    match key {
        Some(key) => {
            context
                .ledgers()
                .has(&context.caller.subject, capability, key)
                .await
        }
        None => false,
    }
}

pub(super) fn idempotency_key(key: Option<String>) -> Result<Option<String>, Refusal> {
    let is_valid = |it: &String| {
        (1..=MAX_KEY_LEN).contains(&it.len()) && it.bytes().all(|it| it.is_ascii_graphic())
    };
    match key {
        Some(it) if !is_valid(&it) => Err(Refusal::from(Reason::IdempotencyKey)),
        key => Ok(key),
    }
}

/// The reply with a ledger's response, and the headers that say how it came about.
fn reply(response: CreateResponse) -> Result<Reply, Refusal> {
    let mut headers = Limit::headers(&response.limits);
    if response.is_replayed {
        headers.push(("idempotent-replayed", "true".to_owned()));
    }
    match response.outcome.into_result() {
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
