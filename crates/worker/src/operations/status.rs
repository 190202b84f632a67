//! Reads a task: once, or as a stream of updates.

use mediagate_core::Group;
use mediagate_core::ids::IdKind;
use serde_json::Value;
use web_sys::ReadableStream;

use super::Call;
use crate::crypto::hash;
use crate::ids::sealed_kind;
use crate::objects::{WatchPurpose, WatchRequest, send_to_watcher};
use crate::platform::now_ms;
use crate::refusal::Refusal;
use crate::reply::Reply;
use crate::upstream::TaskRecord;

/// Longest stream of events, in milliseconds; then the client reconnects. A watcher with an open stream can't hibernate.
const MAX_STREAM_MS: f64 = 5.0 * 60.0 * 1000.0;

/// `GET /api/app/v1/{group}/tasks/{id}`. The response is the same for every id that is not one of the caller's tasks.
pub(crate) async fn status(call: &Call<'_>, group: Group, sealed: &str) -> Result<Reply, Refusal> {
    let id = unseal(call, group, sealed).ok_or_else(Refusal::no_such_task)?;
    read_task(call, group, &id).await.map(Reply::ok)
}

/// Reads one of the caller's tasks by the upstream's id: the response's `data`, ids sealed.
pub(crate) async fn read_task(call: &Call<'_>, group: Group, id: &str) -> Result<Value, Refusal> {
    let client = call.client();
    let polled = client.poll(group, id).await;
    if polled.as_ref().is_err_and(|it| it.status == 404) {
        // Upstream has forgotten it, so no one will see its end.
        free_slot(call, group, id).await;
    }
    let TaskRecord { mut data, is_terminal, .. } = polled?;
    if is_terminal {
        free_slot(call, group, id).await;
    }
    client.seal(&mut data, Some((group, id)));
    Ok(data)
}

/// `GET /api/app/v1/tasks/{id}/events`: each change of a task's record as a server-sent event, from the one after
/// `Last-Event-ID`. All subscribers share one poller.
pub(crate) async fn events(call: &Call<'_>, sealed: &str) -> Result<Reply, Refusal> {
    let (group, task) = unseal_task(call, sealed).ok_or_else(Refusal::no_such_task)?;
    let last_event_id = call.incoming.header("last-event-id").and_then(|it| it.parse().ok()).unwrap_or(0);
    subscribe(call, group, task, last_event_id, MAX_STREAM_MS).await.map(Reply::events)
}

/// The watcher's stream of a task's events, from the one after `last_event_id`, for at most `max_ms` milliseconds, and no
/// longer than the caller's token is valid.
pub(crate) async fn subscribe(
    call: &Call<'_>,
    group: Group,
    task: String,
    last_event_id: u64,
    max_ms: f64,
) -> Result<Option<ReadableStream>, Refusal> {
    let until = (now_ms() + max_ms).min(call.caller.until * 1000.0) as i64;
    let purpose = WatchPurpose::Subscribe { last_event_id, until };
    let request = WatchRequest { group, task, subject: call.caller.subject.clone(), purpose };
    let response = send_to_watcher(call.env, &call.settings().tenant, &request).await;
    Ok(response.ok_or_else(|| Refusal::internal("watcher"))?.body())
}

/// The task that a sealed id names: its group and the upstream's id.
pub(crate) fn unseal_task(call: &Call<'_>, sealed: &str) -> Option<(Group, String)> {
    Group::ALL.into_iter().find_map(|group| Some((group, unseal(call, group, sealed)?)))
}

fn unseal(call: &Call<'_>, group: Group, sealed: &str) -> Option<String> {
    call.unseal(sealed_kind(IdKind::Task, Some(group)), sealed)
}

/// Frees the slot of a task that has ended, once per isolate. Whether the caller's token limits tasks in flight does not
/// matter: the task may have been created with another token.
async fn free_slot(call: &Call<'_>, group: Group, id: &str) {
    if call.freed.insert(&hash(&[group.name(), id])) {
        call.ledgers().free(&call.caller.subject, group, id).await;
    }
}
