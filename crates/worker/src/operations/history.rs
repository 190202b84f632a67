//! The caller's history: tasks and pipelines, newest first.

use mediagate_access::identity::Credits;
use mediagate_access::refusal::Refusal;
use mediagate_core::{Outcome, Reason, find};
use mediagate_ids::{ResultRef, TaskName};
use mediagate_messages::ledger::{EntryKind, HistoryEntry};
use mediagate_messages::transfer::delete_result;
use mediagate_messages::{PipelineName, write_results};
use mediagate_platform::date;
use mediagate_platform::json::present;
use serde_json::{Map, Value, json};

use super::RequestContext;
use super::status::{is_overdue, read_task, unseal_name};

const DEFAULT_LIMIT: u32 = 50;
const MAX_LIMIT: u32 = 100;

/// `GET /api/app/v1/tasks?limit=&cursor=`. Returns the tasks and pipelines as the gateway last saw
/// them, newest first. If there are more, the response has the `cursor` of the next request.
pub(crate) async fn tasks(context: &RequestContext<'_>) -> Result<Value, Refusal> {
    let [limit, cursor] = ["limit", "cursor"].map(|name| context.incoming.parameter(name));
    list_tasks(context, limit.as_deref(), cursor.as_deref()).await
}

/// Returns `{tasks, pipelines, cursor}`. 400 for a `limit` that is not a number from 1 to 100, and
/// for a `cursor` of no response; 500 if the ledger does not respond.
pub(crate) async fn list_tasks(
    context: &RequestContext<'_>,
    limit: Option<&str>,
    cursor: Option<&str>,
) -> Result<Value, Refusal> {
    let is_limit = |given: &i64| (1..=i64::from(MAX_LIMIT)).contains(given);
    let limit = match limit {
        None => DEFAULT_LIMIT,
        Some(text) => number(text).filter(is_limit).ok_or_else(wrong_limit)? as u32,
    };
    let cursor = cursor
        .map(|text| number(text).ok_or_else(wrong_cursor))
        .transpose()?;
    let entries = context
        .ledgers()
        .history(&context.caller.subject, cursor, limit)
        .await?;
    let mut tasks = Vec::new();
    let mut pipelines = Vec::new();
    for entry in &entries {
        match &entry.kind {
            EntryKind::Pipeline(name) => pipelines.push(listed_pipeline(context, name, entry)),
            // The outcome of a create in progress is not known yet.
            EntryKind::Create(_) if entry.is_in_progress => {}
            EntryKind::Create(capability) => tasks.extend(listed(context, capability, entry)),
        }
    }
    let mut data = json!({"tasks": tasks, "pipelines": pipelines});
    // The numbers of entries begin at 1.
    if let Some(HistoryEntry { entry: last, .. }) = entries.last()
        && entries.len() == limit as usize
        && last.number > 1
    {
        data["cursor"] = last.number.to_string().into();
    }
    Ok(data)
}

/// `DELETE /api/app/v1/tasks/{id}`. Removes a task that has ended from the history. The response is
/// the same if it was removed before. 404 if the id is not one of the caller's; 409 if the task
/// still runs; 500 if the ledger does not respond.
pub(crate) async fn forget(context: &RequestContext<'_>, sealed: &str) -> Result<Value, Refusal> {
    let name = unseal_name(context, sealed).ok_or(Reason::UnknownTask)?;
    let stays = forget_entry(context, name.clone(), false).await?;
    let (TaskName::Upstream(task), true) = (&name, stays) else {
        return Ok(json!({}));
    };
    // The ledger has not seen the end of the task, but the upstream may have.
    let is_gone = match read_task(context, task).await {
        Ok(data) => data["task"]["state"]
            .as_str()
            .is_some_and(mediagate_core::is_terminal),
        Err(refusal) if refusal.status == 404 => true,
        Err(refusal) => return Err(refusal),
    };
    if is_gone && !forget_entry(context, name.clone(), true).await? {
        Ok(json!({}))
    } else {
        let message = "the task is still running; wait for its end, then remove it";
        Err(Refusal::new(Reason::TaskRunning, message))
    }
}

/// Removes a task from the history, and deletes its results. Returns true if the task stays because
/// it may be running. `is_gone` is true if it is not running.
async fn forget_entry(
    context: &RequestContext<'_>,
    task: TaskName,
    is_gone: bool,
) -> Result<bool, Refusal> {
    let ledgers = context.ledgers();
    let subject = &context.caller.subject;
    let settings = context.settings();
    let results = match settings.results {
        Some(_) => ledgers.results(subject, &task).await?.states,
        None => Vec::new(),
    };
    let stays = ledgers.forget(subject, task.clone(), is_gone).await?;
    if !stays {
        for (position, _) in results {
            let result = ResultRef::new(subject, &task, position);
            delete_result(context.env, &settings.tenant, result).await;
        }
    }
    Ok(stays)
}

/// Returns a task's entry as in the response, with sealed ids. `None` for a capability that this
/// version of the gateway does not have.
fn listed(context: &RequestContext<'_>, capability: &str, entry: &HistoryEntry) -> Option<Value> {
    find(capability)?;
    let mut data = json!({"task": entry.summary.clone().unwrap_or_else(|| json!({}))});
    let client = context.client();
    let name = entry.task_name();
    let origin = match &name {
        TaskName::Upstream(task) => {
            client.seal(&mut data, Some(task));
            task.origin.as_ref()
        }
        TaskName::Entry(_) => {
            client.seal(&mut data, None);
            client.address_outputs(&mut data, &name);
            None
        }
    };
    let id = name.seal(&context.upstream.sealer, &context.caller.subject);
    write_results(&mut data["task"], &entry.results);
    let is_unfinished = entry.ended_at.is_none() && is_overdue(context, origin);
    let is_unknown = entry.summary.is_none();
    let Value::Object(mut task) = data["task"].take() else {
        return None; // a summary is an object
    };
    task.extend(members_of_entry(entry, id));
    task.extend(present([
        ("unfinished", is_unfinished.then_some(json!(true))),
        ("capability", Some(json!(capability))),
        ("expected_credits", entry.expected.map(Credits::to_json)),
        (
            "outcome",
            is_unknown.then(|| json!(Outcome::Unknown.name())),
        ),
    ]));
    task.entry("outputs").or_insert_with(|| json!([]));
    Some(Value::Object(task))
}

fn listed_pipeline(context: &RequestContext<'_>, name: &str, entry: &HistoryEntry) -> Value {
    let name = PipelineName {
        subject: context.caller.subject.clone(),
        name: name.to_owned(),
    };
    let mut pipeline = members_of_entry(entry, name.seal(&context.upstream.sealer));
    let state = entry.summary.as_ref();
    let state = state.and_then(|summary| summary.get("state").cloned());
    pipeline.extend(present([("state", state)]));
    Value::Object(pipeline)
}

/// Returns the members that tasks and pipelines have in a response.
fn members_of_entry(entry: &HistoryEntry, id: String) -> Map<String, Value> {
    let date = |ms: i64| json!(date(ms as f64));
    present([
        ("id", Some(json!(id))),
        ("title", entry.title.as_deref().map(Value::from)),
        ("created_at", Some(date(entry.entry.created_at))),
        ("ended_at", entry.ended_at.map(date)),
    ])
}

/// Reads the number of an entry: only digits, few enough for a number of JavaScript.
fn number(text: &str) -> Option<i64> {
    if text.len() > 15 || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    text.parse().ok()
}

fn wrong_limit() -> Refusal {
    Refusal::new(
        Reason::InvalidParameter,
        format!("limit is no whole number from 1 to {MAX_LIMIT}"),
    )
}

fn wrong_cursor() -> Refusal {
    Refusal::new(
        Reason::InvalidParameter,
        "cursor is not one that an earlier response had; leave it out for the newest entries",
    )
}
