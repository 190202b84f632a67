//! The extension `io.modelcontextprotocol/tasks`: in place of a result the client is given a task, and asks after it.
//!
//! The task's name holds everything that is needed to ask, sealed to its caller, so nothing is kept here either.

use mediagate_core::Group;
use serde_json::{Value, json};

use super::content::{self, Job};
use super::era::TASKS;
use super::rpc::{Error, INTERNAL_ERROR, INVALID_PARAMS, MISSING_CAPABILITY, Request};
use crate::operations::{self, Call};
use crate::platform::now_ms;
use crate::refusal::Refusal;

/// What the name of a task is sealed as.
const KIND: &str = "agent's task";
/// How long a client should wait before it asks again, in milliseconds.
const POLL_MS: u32 = 3_000;

/// A task, and when it was made, in milliseconds since 1970.
struct Named {
    group: Group,
    id: String,
    made: f64,
}

/// The refusal of a client that has not said it takes tasks.
pub(super) fn undeclared() -> Error {
    let message = "Missing required client capability: declare the extension io.modelcontextprotocol/tasks";
    let needed = json!({"requiredCapabilities": {"extensions": {TASKS: {}}}});
    Error::new(MISSING_CAPABILITY, message).with(needed)
}

/// In place of a result: the task that was just made.
pub(super) fn made(call: &Call<'_>, group: Group, id: &str, data: &Value) -> Value {
    let made = now_ms();
    let name = json!([group.name(), id, made]).to_string();
    let name = call.service.gateway.sealer.seal(&call.caller.subject, KIND, &name);
    let mut task = record(&name, made, data);
    task["resultType"] = json!("task");
    task
}

/// `tasks/get`: how far it is, and in the end what the call would have given.
pub(super) async fn get(call: &Call<'_>, request: &Request) -> Result<Value, Error> {
    let (name, task) = named(call, request)?;
    let data = operations::read(call, task.group, &task.id).await.map_err(unreadable)?;
    let mut record = record(name, task.made, &data);
    if !content::is_running(&data) {
        record["status"] = json!("completed");
        let prefix = call.service.gateway.settings.mcp.tool_prefix.clone();
        record["result"] = Job { prefix, made: true }.result(data);
    }
    Ok(record)
}

/// `tasks/update` and `tasks/cancel`: the service can do neither, so it is heard, and the task goes on.
pub(super) fn acknowledge(call: &Call<'_>, request: &Request) -> Result<Value, Error> {
    named(call, request).map(|_| json!({}))
}

fn record(name: &str, made: f64, data: &Value) -> Value {
    let mut record = json!({
        "taskId": name, "status": "working", "createdAt": date(made), "lastUpdatedAt": date(now_ms()), "ttlMs": null,
        "pollIntervalMs": POLL_MS,
    });
    if let Some(state) = content::state(data) {
        record["statusMessage"] = json!(state);
    }
    record
}

fn date(milliseconds: f64) -> String {
    js_sys::Date::new(&milliseconds.into()).to_iso_string().into()
}

fn named<'a>(call: &Call<'_>, request: &'a Request) -> Result<(&'a str, Named), Error> {
    let name = request.params.get("taskId").and_then(Value::as_str);
    let open = |name: &str| {
        let text = call.service.gateway.sealer.open(&call.caller.subject, KIND, name)?;
        let (group, id, made) = serde_json::from_str::<(String, String, f64)>(&text).ok()?;
        Some(Named { group: Group::named(&group)?, id, made })
    };
    name.and_then(|name| Some((name, open(name)?))).ok_or_else(unknown)
}

fn unknown() -> Error {
    Error::new(INVALID_PARAMS, "Task not found; give the taskId of a task that this caller was given")
}

fn unreadable(refusal: Refusal) -> Error {
    match refusal.status {
        404 => unknown(),
        _ => Error::new(INTERNAL_ERROR, refusal.message).with(Value::Object(refusal.data)),
    }
}
