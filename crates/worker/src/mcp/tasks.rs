//! The extension `io.modelcontextprotocol/tasks`: a client receives a task instead of a result, and
//! polls it.
//!
//! The task's id contains everything that a poll needs, sealed for the caller, so nothing is stored
//! here.

use mediagate_access::refusal::Refusal;
use mediagate_core::Group;
use mediagate_ids::TaskRef;
use mediagate_platform::{date, now_ms};
use serde_json::{Value, json};

use super::content::{self, TaskReport};
use super::rpc::{INTERNAL_ERROR, MISSING_CAPABILITY, RpcError, RpcRequest};
use super::version::TASKS;
use crate::operations::{self, RequestContext};

const KIND: &str = "agent's task";
/// The interval at which a client should poll if the gateway has no estimate.
const POLL_MS: u32 = 3_000;

const MIN_POLL_MS: f64 = 500.0;

pub(super) fn undeclared() -> RpcError {
    let message =
        "Missing required client capability: declare the extension io.modelcontextprotocol/tasks";
    let required = json!({"requiredCapabilities": {"extensions": {TASKS: {}}}});
    RpcError::new(MISSING_CAPABILITY, message).with(required)
}

/// Returns a created task instead of a result. A repeated create returns the same id.
pub(super) fn created(context: &RequestContext<'_>, task: &TaskRef, data: &Value) -> Value {
    let origin = task.origin.as_ref();
    let created_at = origin.map_or_else(now_ms, |origin| origin.created_at as f64);
    let task_id = context.seal(
        KIND,
        &json!([task.group, task.text(), created_at]).to_string(),
    );
    let mut task = record(&task_id, created_at, data);
    task["resultType"] = json!("task");
    task
}

/// `tasks/get`: the task's status, and, once it has ended, the result of the call.
pub(super) async fn get(
    context: &RequestContext<'_>,
    request: &RpcRequest,
) -> Result<Value, RpcError> {
    let (task_id, task, created_at) = requested_task(context, request)?;
    let data = operations::read_task(context, &task).await.map_err(error)?;
    let mut record = record(task_id, created_at, &data);
    if !content::is_running(&data) {
        record["status"] = json!("completed");
        // This is the result of the create, which fails if the task fails.
        let report = TaskReport {
            prefix: context.settings().mcp.tool_prefix.clone(),
            has_links: true,
            is_create: true,
        };
        record["result"] = report.result(data);
    }
    Ok(record)
}

/// `tasks/update` and `tasks/cancel`. Does nothing: the upstream supports neither, so the task
/// continues.
pub(super) fn acknowledge(
    context: &RequestContext<'_>,
    request: &RpcRequest,
) -> Result<Value, RpcError> {
    requested_task(context, request).map(|_| json!({}))
}

fn record(task_id: &str, created_at: f64, data: &Value) -> Value {
    let mut record = json!({
        "taskId": task_id, "status": "working", "ttlMs": null, "pollIntervalMs": POLL_MS,
        "createdAt": date(created_at), "lastUpdatedAt": date(now_ms()),
    });
    if content::state(data).is_some() {
        record["statusMessage"] = json!(content::status(data));
    }
    if let Some(seconds) = data["task"]["poll_after"].as_f64() {
        record["pollIntervalMs"] = json!((seconds * 1000.0).max(MIN_POLL_MS) as u32);
    }
    record
}

/// Returns the requested task with its sealed id, and the time of its create in milliseconds since
/// 1970.
fn requested_task<'a>(
    context: &RequestContext<'_>,
    request: &'a RpcRequest,
) -> Result<(&'a str, TaskRef, f64), RpcError> {
    let task_id = request.params.get("taskId").and_then(Value::as_str);
    let task_id = task_id.ok_or_else(unknown)?;
    let text = context.unseal(KIND, task_id).ok_or_else(unknown)?;
    let (group, text, created_at): (Group, String, f64) =
        serde_json::from_str(&text).map_err(|_| unknown())?;
    Ok((task_id, TaskRef::parse(group, &text), created_at))
}

fn unknown() -> RpcError {
    RpcError::params("Task not found; give a taskId that this caller received")
}

fn error(refusal: Refusal) -> RpcError {
    match refusal.status {
        404 => unknown(),
        _ => RpcError::new(INTERNAL_ERROR, refusal.message).with(Value::Object(refusal.data)),
    }
}
