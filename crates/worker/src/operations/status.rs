//! Reads a task: once, or as a stream of updates.

use mediagate_access::crypto::hash;
use mediagate_access::refusal::Refusal;
use mediagate_core::schedule::forecast::Forecast;
use mediagate_core::{Code, Group, Reason};
use mediagate_ids::{EntryRef, Origin, TaskName, TaskRef};
use mediagate_messages::envelope::{envelope, event};
use mediagate_messages::ledger::ReportedEnd;
use mediagate_messages::watcher::{WatchedTask, subscribe_to_task, watch_to_end};
use mediagate_messages::{Turn, poll_task, unanswered};
use mediagate_platform::timestamp_ms;
use mediagate_upstream::TaskRecord;
use mediagate_upstream_client::{summary, write_eta, write_poll_after};
use serde_json::Value;
use web_sys::ReadableStream;

use super::RequestContext;
use super::results::{results_of, write_all};
use crate::reply::Reply;

/// The longest stream of events. The client then reconnects. Meanwhile the watcher can hibernate,
/// which it can't with an open stream.
pub(super) const MAX_STREAM_MS: f64 = 5.0 * 60.0 * 1000.0;

/// `GET /api/app/v1/{group}/tasks/{id}`. Returns the task. 404 is the same for every id that is not
/// one of the caller's tasks.
pub(crate) async fn status(
    context: &RequestContext<'_>,
    group: Group,
    sealed: &str,
) -> Result<Value, Refusal> {
    match unseal_name(context, sealed) {
        Some(TaskName::Upstream(task)) if task.group == group => read_task(context, &task).await,
        Some(TaskName::Entry(entry)) => read_result(context, entry).await,
        _ => Err(Refusal::from(Reason::UnknownTask)),
    }
}

/// Reads one of the caller's tasks: the response's `data` with sealed ids. If the task runs, the
/// data has the time that it is likely to take, if that is known, and the time of the next read.
/// 404 if the upstream has forgotten the task; also the errors of [`poll_task`].
pub(crate) async fn read_task(
    context: &RequestContext<'_>,
    task: &TaskRef,
) -> Result<Value, Refusal> {
    let client = context.client();
    let polled = poll_task(context.env, client, task, Turn::Now).await;
    if polled.as_ref().is_err_and(|refusal| refusal.status == 404) {
        // The upstream has forgotten the task, so nobody will see its end.
        free_slot(context, task, None).await;
    }
    let TaskRecord {
        mut data,
        is_terminal,
        ..
    } = polled?;
    if is_terminal {
        free_slot(context, task, Some(summary(&data["task"]))).await;
    } else {
        if is_overdue(context, task.origin.as_ref()) {
            data["task"]["unfinished"] = true.into();
        }
        add_forecast(context, task, &mut data).await;
    }
    let name = TaskName::Upstream(task.clone());
    let results = results_of(context, &name, &data["task"]).await;
    client.seal(&mut data, Some(task));
    write_all(&mut data, &name, results.as_ref());
    Ok(data)
}

/// Returns true if the task has existed for longer than the gateway follows tasks.
pub(super) fn is_overdue(context: &RequestContext<'_>, origin: Option<&Origin>) -> bool {
    let max_task_ms = context.settings().max_task_ms;
    origin.is_some_and(|origin| origin.created_at + max_task_ms <= timestamp_ms())
}

async fn add_forecast(context: &RequestContext<'_>, task: &TaskRef, data: &mut Value) {
    let Some(origin) = &task.origin else {
        return; // an id of an older gateway has no origin
    };
    let durations = context
        .known_durations
        .read(&context.durations(), origin)
        .await;
    let Some(forecast) = Forecast::new(durations.as_deref(), None, origin.elapsed(timestamp_ms()))
    else {
        return; // the durations of such tasks are not known yet
    };
    write_eta(data, &forecast);
    write_poll_after(data, &forecast, js_sys::Math::random());
}

/// `GET /api/app/v1/tasks/{id}/events`: each change of a task's record as a server-sent event, from
/// the one after `Last-Event-ID`. All subscribers share one poller. 404 for an unknown id.
pub(crate) async fn events(context: &RequestContext<'_>, sealed: &str) -> Result<Reply, Refusal> {
    let stream = match unseal_name(context, sealed).ok_or(Reason::UnknownTask)? {
        TaskName::Upstream(task) => {
            subscribe(context, task, context.last_event_id(), MAX_STREAM_MS).await?
        }
        TaskName::Entry(entry) => single_event(read_result(context, entry).await?),
    };
    Ok(Reply::events(stream))
}

/// Returns a stream with one event, for a result that the ledger keeps.
fn single_event(data: Value) -> Option<ReadableStream> {
    let text = event("task", 1, &envelope(Code::OK, Code::OK.message(), data));
    web_sys::Response::new_with_opt_str(Some(&text))
        .ok()?
        .body()
}

/// Subscribes to the events of a task, from the one after `last_event_id`. The stream ends after
/// `max_ms`, or when the caller's token expires. 500 if the watcher does not respond.
pub(crate) async fn subscribe(
    context: &RequestContext<'_>,
    task: TaskRef,
    last_event_id: u64,
    max_ms: f64,
) -> Result<Option<ReadableStream>, Refusal> {
    let watched = WatchedTask {
        task,
        subject: context.caller.subject.clone(),
        public_url: context.public_url.clone(),
        label: None,
    };
    let stream = context.stream_request(last_event_id, max_ms);
    let response = subscribe_to_task(context.env, context.settings(), watched, stream)
        .await
        .map_err(|error| unanswered(error, Reason::WatcherFailed))?;
    Ok(response.body())
}

/// Unseals the id of a task, or of a result that the ledger keeps.
pub(crate) fn unseal_name(context: &RequestContext<'_>, sealed: &str) -> Option<TaskName> {
    TaskName::unseal(&context.upstream.sealer, &context.caller.subject, sealed)
}

pub(crate) fn unseal_task(context: &RequestContext<'_>, sealed: &str) -> Option<TaskRef> {
    match unseal_name(context, sealed)? {
        TaskName::Upstream(task) => Some(task),
        TaskName::Entry(_) => None,
    }
}

/// Reads a result that the ledger keeps. The data has the form of a task's. 404 if the ledger has
/// no such result; 500 if it does not respond.
pub(crate) async fn read_result(
    context: &RequestContext<'_>,
    entry: EntryRef,
) -> Result<Value, Refusal> {
    let result = context
        .ledgers()
        .result(&context.caller.subject, entry)
        .await?
        .ok_or(Reason::UnknownTask)?;
    let name = TaskName::Entry(entry);
    let results = results_of(context, &name, &result["task"]).await;
    let mut data = context.client().sealed_result(result, entry);
    write_all(&mut data, &name, results.as_ref());
    Ok(data)
}

/// Frees the slot of a task that has ended, until the ledger has responded to this isolate. Also if
/// the caller's token does not limit tasks in flight, because the task may have been created with
/// another token.
async fn free_slot(context: &RequestContext<'_>, task: &TaskRef, summary: Option<Value>) {
    let kind = if summary.is_some() { "ended" } else { "gone" };
    let name = hash(&[task.group.name(), &task.id, kind]);
    let report = report_end(context, task, summary);
    context.freed.until_success(name, report).await;
}

/// Reports the end of a task to the ledger. Returns true if the ledger has responded.
async fn report_end(context: &RequestContext<'_>, task: &TaskRef, summary: Option<Value>) -> bool {
    let subject = &context.caller.subject;
    let ReportedEnd { is_new, is_stored } = context
        .ledgers()
        .free(subject, task.group, &task.id, summary)
        .await;
    // The watcher reports each end to the ledger. If this end is new, it may have lost its alarm.
    if is_new && !context.settings().webhook_urls.is_empty() {
        let watched = WatchedTask {
            task: task.clone(),
            subject: subject.clone(),
            public_url: context.public_url.clone(),
            label: None,
        };
        // Nothing else can notify the backend if the watcher can't be reached.
        let _ = watch_to_end(context.env, context.settings(), watched).await;
    }
    is_stored
}
