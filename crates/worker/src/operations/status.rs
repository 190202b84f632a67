//! Reading a task.

use mediagate_core::ids::IdKind;
use mediagate_core::{Code, Expects, Group, is_terminal};
use serde_json::Value;

use super::create::budget;
use super::{Call, path_segment};
use crate::present::normalise_task;
use crate::refusal::Refusal;
use crate::reply::Reply;
use crate::upstream::Decoded;

/// `GET /api/app/v1/{group}/tasks/{id}`. Every id that names no task of the caller's has the same answer.
pub(crate) async fn status(call: &Call<'_>, group: Group, sealed: &str) -> Result<Reply, Refusal> {
    let opened = call.service.gateway.sealer.open(&call.caller.subject, IdKind::Task.name(), sealed);
    let id = opened.ok_or_else(Refusal::no_such_task)?;
    let segment = path_segment(&id).ok_or_else(Refusal::no_such_task)?;
    let path = call.service.gateway.settings.task_path(group).replace("{task_id}", &segment);
    let mut reply = call.service.ask("GET", &path, None).await?;
    if reply.status == 404 {
        return Err(Refusal::no_such_task());
    }
    name_the_task(&mut reply.body, &id);
    match reply.decode(Expects::Task) {
        Decoded::Success { mut data, .. } => {
            if let Some(record) = data.get_mut("task") {
                normalise_task(record, Some(&id));
                free_its_slot(call, record, &id).await;
            }
            call.service.seal(&mut data);
            Ok(Reply::ok(data))
        }
        Decoded::Refused { code: Code::INVALID_INPUT, .. } => Err(Refusal::no_such_task()),
        refused => Err(call.service.refuse(refused, reply.retry_after).0),
    }
}

/// A task that has ended is no longer in flight, where somebody counts those.
async fn free_its_slot(call: &Call<'_>, record: &Value, id: &str) {
    let ended = record["state"].as_str().is_some_and(is_terminal);
    if ended && budget(call).in_flight.is_some() {
        call.desk().free(&call.caller.subject, id).await;
    }
}

/// A record need not repeat the id that it was asked for by.
fn name_the_task(body: &mut Option<Value>, id: &str) {
    let record = body.as_mut().and_then(|it| it.pointer_mut("/data/task")).and_then(Value::as_object_mut);
    if let Some(record) = record {
        record.entry("id").or_insert_with(|| Value::String(id.to_owned()));
    }
}
