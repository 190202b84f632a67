//! Creating a task.

use mediagate_core::{Capability, Expects, Outcome, PREFIX};
use serde_json::{Map, Value, json};

use super::{Call, body, prepare::prepare};
use crate::present::{normalise_result, normalise_task};
use crate::refusal::Refusal;
use crate::reply::Reply;
use crate::upstream::Decoded;

/// `POST /api/app/v1/{capability}`. A refusal says what it did to the account.
pub(crate) async fn create(call: &Call<'_>, capability: &Capability) -> Result<Reply, Refusal> {
    let request = request(call, capability).await.map_err(|it| it.of_create(Outcome::NotSent))?;
    let asked = call.ask("POST", &[PREFIX, capability.path].concat(), Some(&request)).await;
    let reply = asked.map_err(|it| it.of_create(Outcome::NotSent))?;
    let expects = if capability.may_answer_without_task { Expects::TaskOrResult } else { Expects::Task };
    match reply.decode(expects) {
        Decoded::Success { mut data, is_task: true } => {
            if let Some(record) = data.get_mut("task") {
                normalise_task(record, None);
            }
            call.seal(&mut data);
            Ok(Reply::ok(data))
        }
        Decoded::Success { data, is_task: false } => {
            let mut data = Value::Object(Map::from_iter([("result".to_owned(), normalise_result(data))]));
            call.seal(&mut data);
            Ok(Reply::ok(data))
        }
        refused => {
            let (refusal, outcome) = call.refuse(refused, reply.retry_after);
            Err(refusal.of_create(outcome))
        }
    }
}

async fn request(call: &Call<'_>, capability: &Capability) -> Result<Value, Refusal> {
    if !call.caller.scope.allows(capability) {
        let message = format!("the session token's scope does not allow {}", capability.name());
        return Err(Refusal::forbidden("scope", message).with("capability", json!(capability.name())));
    }
    prepare(call, capability, &body::json(call).await?)
}
