//! The caller's history: tasks and pipelines, newest first.

use mediagate_core::{Outcome, Reason, find};
use serde_json::{Map, Value, json};

use super::RequestContext;
use super::status::{is_overdue, read_task, unseal_entry, unseal_task};
use crate::ids::{ResultRef, TaskName};
use crate::objects::{EntryKind, HistoryEntry, PipelineName, delete_result, write_results};
use crate::platform::date;
use crate::refusal::Refusal;
use crate::reply::Reply;

/// The default number of entries in a response.
const DEFAULT_LIMIT: u32 = 50;
/// The maximum number of entries in a response.
const MAX_LIMIT: u32 = 100;

/// `GET /api/app/v1/tasks?limit=&cursor=`. Returns the caller's tasks and pipelines, newest first,
/// as the gateway last saw them. If there are more, the response has the `cursor` of the next
/// request.
///
/// # Errors
/// Those of [`list_tasks`].
pub(crate) async fn tasks(context: &RequestContext<'_>) -> Result<Reply, Refusal> {
    let [limit, cursor] = ["limit", "cursor"].map(|name| context.incoming.parameter(name));
    list_tasks(context, limit.as_deref(), cursor.as_deref())
        .await
        .map(Reply::ok)
}

/// Returns a page of the history: `{tasks, pipelines, cursor}`.
///
/// # Errors
/// 400 for a `limit` that is not a number from 1 to 100, and for a `cursor` of no response.
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
    let cursor = match cursor {
        None => None,
        Some(text) => Some(number(text).ok_or_else(wrong_cursor)?),
    };
    let entries = context
        .ledgers()
        .history(&context.caller.subject, cursor, limit)
        .await?;
    let is_full = entries.len() == limit as usize;
    // The numbers of entries begin at 1.
    let next = entries
        .last()
        .map(|entry| entry.entry.number)
        .filter(|number| is_full && *number > 1);
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
    if let Some(next) = next {
        data["cursor"] = next.to_string().into();
    }
    Ok(data)
}

/// `DELETE /api/app/v1/tasks/{id}`. Removes a task that has ended from the history. The response is
/// the same if it was removed before.
///
/// # Errors
/// 404 if the id is not one of the caller's; 409 if the task still runs.
pub(crate) async fn forget(context: &RequestContext<'_>, sealed: &str) -> Result<Reply, Refusal> {
    let Some(task) = unseal_task(context, sealed) else {
        let entry =
            unseal_entry(context, sealed).ok_or_else(|| Refusal::from(Reason::UnknownTask))?;
        forget_entry(context, TaskName::Entry(entry), false).await?;
        return Ok(Reply::ok(json!({})));
    };
    let name = TaskName::Upstream(task.clone());
    if !forget_entry(context, name.clone(), false).await? {
        return Ok(Reply::ok(json!({})));
    }
    // The ledger has not seen the end of the task, but the upstream may have.
    let is_gone = match read_task(context, &task).await {
        Ok(data) => data["task"]["state"]
            .as_str()
            .is_some_and(mediagate_core::is_terminal),
        Err(refusal) if refusal.status == 404 => true,
        Err(refusal) => return Err(refusal),
    };
    if is_gone && !forget_entry(context, name, true).await? {
        Ok(Reply::ok(json!({})))
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

/// Returns a task's entry as the response has it, with sealed ids. Returns `None` for a capability
/// that this version of the gateway does not have.
fn listed(context: &RequestContext<'_>, capability: &str, entry: &HistoryEntry) -> Option<Value> {
    find(capability)?;
    let mut data = json!({"task": entry.summary.clone().unwrap_or_else(|| json!({}))});
    let client = context.client();
    let name = entry.task_name();
    let (id, origin) = match &name {
        TaskName::Upstream(task) => {
            client.seal(&mut data, Some(task));
            (client.seal_task(task), task.origin.as_ref())
        }
        TaskName::Entry(reference) => {
            client.seal(&mut data, None);
            client.address_outputs(&mut data, &name);
            let id = reference.seal(&context.upstream.sealer, &context.caller.subject);
            (id, None)
        }
    };
    write_results(&mut data["task"], &entry.results);
    let is_unfinished = entry.ended_at.is_none() && is_overdue(context, origin);
    let more = [
        ("id", Some(json!(id))),
        ("unfinished", is_unfinished.then_some(json!(true))),
        ("capability", Some(json!(capability))),
        ("title", entry.title.as_deref().map(Value::from)),
        (
            "created_at",
            Some(json!(date(entry.entry.created_at as f64))),
        ),
        (
            "ended_at",
            entry.ended_at.map(|ended_at| json!(date(ended_at as f64))),
        ),
        (
            "outcome",
            entry
                .summary
                .is_none()
                .then(|| json!(Outcome::Unknown.name())),
        ),
    ];
    let mut members: Map<String, Value> = data["task"].as_object().cloned().unwrap_or_default();
    let present = more.into_iter();
    members.extend(present.filter_map(|(name, value)| Some((name.to_owned(), value?))));
    members.entry("outputs").or_insert_with(|| json!([]));
    Some(Value::Object(members))
}

/// Returns a pipeline's entry as the response has it, with a sealed id.
fn listed_pipeline(context: &RequestContext<'_>, name: &str, entry: &HistoryEntry) -> Value {
    let name = PipelineName {
        subject: context.caller.subject.clone(),
        name: name.to_owned(),
    };
    let state = entry.summary.as_ref();
    let state = state.and_then(|summary| summary.get("state").cloned());
    let more = [
        ("id", Some(json!(name.seal(&context.upstream.sealer)))),
        ("title", entry.title.as_deref().map(Value::from)),
        ("state", state),
        (
            "created_at",
            Some(json!(date(entry.entry.created_at as f64))),
        ),
        (
            "ended_at",
            entry.ended_at.map(|ended_at| json!(date(ended_at as f64))),
        ),
    ];
    let present = more.into_iter();
    let members = present.filter_map(|(name, value)| Some((name.to_owned(), value?)));
    Value::Object(members.collect())
}

/// Reads the number of an entry: only digits, few enough for a number of JavaScript.
fn number(text: &str) -> Option<i64> {
    let is_number =
        (1..=15).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().ok()).flatten()
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
