//! Creating a task.

use mediagate_core::{Capability, Expects, Outcome, PREFIX, Task, is_terminal};
use serde_json::{Map, Value, json};

use super::service::Service;
use super::{Call, body, path_segment, prepare::prepare};
use crate::ledger::{Answer, Order};
use crate::present::{normalise_result, normalise_task};
use crate::refusal::Refusal;
use crate::reply::Reply;
use crate::session::Budget;
use crate::upstream::Decoded;

/// Longest idempotency key, in characters.
const LONGEST_KEY: usize = 255;

/// Longest id of a task, as a path has it.
const LONGEST_ID: usize = 2048;

/// `POST /api/app/v1/{capability}`, at most once for an idempotency key. A refusal says what it did to the account.
pub(crate) async fn create(call: &Call<'_>, capability: &Capability) -> Result<Reply, Refusal> {
    // Who may not create is not listened to.
    permit(call, capability).map_err(not_sent)?;
    let input = body::json(call).await.map_err(not_sent)?;
    make(call, capability, call.incoming.header("idempotency-key"), &input).await?.reply()
}

/// Creates a task of an input, at most once for an idempotency key.
///
/// # Errors
/// A refusal before anything was sent; what the service refused is in the answer.
pub(crate) async fn make(
    call: &Call<'_>,
    capability: &Capability,
    key: Option<String>,
    input: &Value,
) -> Result<Answer, Refusal> {
    let order = order(call, capability, key, input).map_err(not_sent)?;
    let answer = call.desk().create(order).await;
    call.service.waited(answer.upstream_ms);
    Ok(answer)
}

fn not_sent(refusal: Refusal) -> Refusal {
    refusal.of_create(Outcome::NotSent)
}

fn permit(call: &Call<'_>, capability: &Capability) -> Result<(), Refusal> {
    if call.caller.scope.allows(capability) {
        return Ok(());
    }
    let message = format!("the session token's scope does not allow {}", capability.name());
    Err(Refusal::forbidden("scope", message).with("capability", json!(capability.name())))
}

fn order(call: &Call<'_>, capability: &Capability, key: Option<String>, input: &Value) -> Result<Order, Refusal> {
    permit(call, capability)?;
    let key = idempotency_key(key)?;
    let body = prepare(call, capability, input)?;
    let (settings, subject) = (&call.service.gateway.settings, call.caller.subject.clone());
    Ok(Order {
        capability: capability.name().to_owned(),
        key,
        body: body.to_string(),
        budget: budget(call),
        watch: call.caller.watch,
        pool: settings.anonymous_budget.filter(|_| subject.is_anonymous()),
        subject,
    })
}

/// What the token allows, and what the operator does.
fn budget(call: &Call<'_>) -> Budget {
    let in_flight = call.service.gateway.settings.max_tasks_in_flight;
    call.caller.budget.and(Budget { in_flight, ..Budget::default() })
}

fn idempotency_key(key: Option<String>) -> Result<Option<String>, Refusal> {
    let usable = |it: &String| (1..=LONGEST_KEY).contains(&it.len()) && it.bytes().all(|it| it.is_ascii_graphic());
    match key {
        Some(it) if !usable(&it) => {
            let message = "Idempotency-Key is no text of 1 to 255 visible ASCII characters";
            Err(Refusal::invalid("idempotency_key", message))
        }
        key => Ok(key),
    }
}

/// What the service made.
pub(crate) struct Made {
    /// The answer's `data`, ids sealed.
    pub(crate) data: Value,
    /// The task's id as the service knows it, where it made one.
    pub(crate) task: Option<String>,
    /// Whether the task has not ended yet.
    pub(crate) is_running: bool,
}

/// Sends a create to the service, once.
///
/// # Errors
/// A refusal, and what the create did to the account.
pub(crate) async fn submit(
    service: &Service<'_>,
    capability: &Capability,
    body: &str,
) -> Result<Made, (Refusal, Outcome)> {
    let asked = service.ask("POST", &[PREFIX, capability.path].concat(), Some(body)).await;
    let reply = asked.map_err(|it| (it, Outcome::NotSent))?;
    let expects = if capability.may_answer_without_task { Expects::TaskOrResult } else { Expects::Task };
    let mut made = match reply.decode(expects) {
        Decoded::Success { mut data, is_task: true } => {
            let mut made = Made { data: Value::Null, task: None, is_running: false };
            if let Some(record) = data.get_mut("task") {
                let task = Task::decode(&&*record);
                // It was made, and nobody could ever ask for it.
                if path_segment(&task.id).is_none_or(|it| it.len() > LONGEST_ID) {
                    return Err((Refusal::unreadable("unusable_id"), Outcome::Unknown));
                }
                made.is_running = task.state.is_none_or(|it| !is_terminal(&it));
                made.task = Some(task.id);
                normalise_task(record, None);
            }
            Made { data, ..made }
        }
        Decoded::Success { data, is_task: false } => {
            let result = Map::from_iter([("result".to_owned(), normalise_result(data))]);
            Made { data: Value::Object(result), task: None, is_running: false }
        }
        refused => return Err(service.refuse(refused, reply.retry_after)),
    };
    service.seal(&mut made.data, made.task.as_deref());
    Ok(made)
}
