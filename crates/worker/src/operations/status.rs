//! Reading a task.

use mediagate_core::ids::IdKind;
use mediagate_core::{Code, Expects, Group};
use serde_json::Value;

use super::{Call, path_segment};
use crate::present::normalise_task;
use crate::refusal::Refusal;
use crate::reply::Reply;
use crate::upstream::Decoded;

/// `GET /api/app/v1/{group}/tasks/{id}`. Every id that names no task of the caller's has the same answer.
pub(crate) async fn status(call: &Call<'_>, group: Group, sealed: &str) -> Result<Reply, Refusal> {
    let opened = call.gateway.sealer.open(&call.caller.subject, IdKind::Task.name(), sealed);
    let id = opened.ok_or_else(Refusal::no_such_task)?;
    let segment = path_segment(&id).ok_or_else(Refusal::no_such_task)?;
    let path = call.gateway.settings.task_path(group).replace("{task_id}", &segment);
    let mut reply = call.ask("GET", &path, None).await?;
    if reply.status == 404 {
        return Err(Refusal::no_such_task());
    }
    name_the_task(&mut reply.body, &id);
    match reply.decode(Expects::Task) {
        Decoded::Success { mut data, .. } => {
            if let Some(record) = data.get_mut("task") {
                normalise_task(record, Some(&id));
            }
            call.seal(&mut data);
            Ok(Reply::ok(data))
        }
        Decoded::Refused { code: Code::INVALID_INPUT, .. } => Err(Refusal::no_such_task()),
        refused => Err(call.refuse(refused, reply.retry_after).0),
    }
}

/// A record need not repeat the id that it was asked for by.
fn name_the_task(body: &mut Option<Value>, id: &str) {
    let record = body.as_mut().and_then(|it| it.pointer_mut("/data/task")).and_then(Value::as_object_mut);
    if let Some(record) = record {
        record.entry("id").or_insert_with(|| Value::String(id.to_owned()));
    }
}
