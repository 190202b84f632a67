//! Reading a task: once, or as it changes.

use mediagate_core::ids::IdKind;
use mediagate_core::{Code, Envelope, Expects, Group, Task, is_terminal};
use serde_json::Value;
use web_sys::ReadableStream;

use super::{Call, Service, path_segment};
use crate::platform::now_ms;
use crate::present::{normalise_task, sealed_kind};
use crate::refusal::Refusal;
use crate::reply::Reply;
use crate::session::hash;
use crate::upstream::Decoded;
use crate::watch::{self, Ask, What};

/// How long a stream of events lasts at most, in milliseconds; then the client comes again. A watcher that holds one
/// open can't sleep.
const STREAM_MS: f64 = 5.0 * 60.0 * 1000.0;

/// `GET /api/app/v1/{group}/tasks/{id}`. Every id that names no task of the caller's has the same answer.
pub(crate) async fn status(call: &Call<'_>, group: Group, sealed: &str) -> Result<Reply, Refusal> {
    let id = open(call, group, sealed).ok_or_else(Refusal::no_such_task)?;
    read(call, group, &id).await.map(Reply::ok)
}

/// Reads a task of the caller's by the id that the service knows it by: `data`, its ids sealed.
pub(crate) async fn read(call: &Call<'_>, group: Group, id: &str) -> Result<Value, Refusal> {
    let service = call.service.of(group);
    let mut data = look(&service, group, id).await?;
    free_its_slot(call, group, &data["task"], id).await;
    service.seal(&mut data, Some(id));
    Ok(data)
}

/// `GET /api/app/v1/tasks/{id}/events`: each change of a task's record as a server-sent event, from the one that follows
/// `Last-Event-ID`. One poller serves all who listen.
pub(crate) async fn events(call: &Call<'_>, sealed: &str) -> Result<Reply, Refusal> {
    let (group, task) = named(call, sealed).ok_or_else(Refusal::no_such_task)?;
    let seen = call.incoming.header("last-event-id").and_then(|it| it.parse().ok()).unwrap_or(0);
    listen(call, group, task, seen, STREAM_MS).await.map(Reply::events)
}

/// The watcher's stream of events of a task, from the one after `seen`, for so many milliseconds at most.
pub(crate) async fn listen(
    call: &Call<'_>,
    group: Group,
    task: String,
    seen: u64,
    longest_ms: f64,
) -> Result<Option<ReadableStream>, Refusal> {
    let until = (now_ms() + longest_ms).min(call.caller.until * 1000.0) as i64;
    let (group, subject) = (group.name().to_owned(), call.caller.subject.clone());
    let ask = Ask { group, task, subject, what: What::Listen { seen, until } };
    let response = watch::ask(call.env, &call.service.gateway.settings.tenant, &ask).await;
    let response = response.ok_or_else(|| Refusal::internal("watcher"))?;
    Ok(response.body())
}

/// The task that a sealed id names: its group, and the id that the service knows it by.
pub(crate) fn named(call: &Call<'_>, sealed: &str) -> Option<(Group, String)> {
    Group::ALL.into_iter().find_map(|group| Some((group, open(call, group, sealed)?)))
}

fn open(call: &Call<'_>, group: Group, sealed: &str) -> Option<String> {
    call.service.gateway.sealer.open(&call.caller.subject, sealed_kind(IdKind::Task, Some(group)), sealed)
}

/// Asks the service for a task: the answer's `data`, normalised, its ids open.
pub(crate) async fn look(service: &Service<'_>, group: Group, id: &str) -> Result<Value, Refusal> {
    let segment = path_segment(id).ok_or_else(Refusal::no_such_task)?;
    let path = service.gateway.settings.task_path(group).replace("{task_id}", &segment);
    let mut reply = service.ask("GET", &path, None).await?;
    // What is no JSON comes from somebody between, and what is an envelope says itself what it means.
    if reply.status == 404 && reply.body.as_ref().is_some_and(|it| Envelope::decode(&it).is_none()) {
        return Err(Refusal::no_such_task());
    }
    name_the_task(&mut reply.body, id);
    match reply.decode(Expects::Task) {
        Decoded::Success { mut data, .. } => {
            if let Some(record) = data.get_mut("task") {
                normalise_task(record, Some(id));
            }
            Ok(data)
        }
        Decoded::Refused { code: Code::INVALID_INPUT, .. } => Err(Refusal::no_such_task()),
        refused => Err(service.refuse(refused, reply.retry_after).0),
    }
}

/// A task that has ended is no longer in flight. Its ledger is told once by this isolate, whether it counts or not: who
/// reads it may have come with another token than who made it.
async fn free_its_slot(call: &Call<'_>, group: Group, record: &Value, id: &str) {
    let ended = record["state"].as_str().is_some_and(is_terminal);
    if ended && call.service.gateway.freed.is_new(&hash(&[group.name(), id])) {
        call.desk().free(&call.caller.subject, group, id).await;
    }
}

/// A record need not repeat the id that it was asked for by.
fn name_the_task(body: &mut Option<Value>, id: &str) {
    let record = body.as_mut().and_then(|it| it.pointer_mut("/data/task")).filter(|it| it.is_object());
    if let Some(record) = record.filter(|it| Task::decode(&&**it).id.is_empty()) {
        record["id"] = Value::String(id.to_owned());
    }
}
