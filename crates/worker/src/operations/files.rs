//! Moves an output of a task into the storage, so that it is an input again.

use mediagate_core::Code;
use serde_json::{Value, json};

use super::Call;
use super::body::read_json;
use super::status::{unseal_entry, unseal_task};
use crate::objects::{TaskName, TransferReport, TransferRequest, send_to_transfer};
use crate::refusal::Refusal;
use crate::reply::Reply;

/// The most outputs of a task.
const MAX_OUTPUTS: u64 = 100;

/// `POST /api/app/v1/files` with `{task_id, output}`: `{file_id, size}` once the file is in the storage; before that, after
/// some seconds, `{progress, loaded, total}`, and the same request again goes on waiting for the same transfer.
pub(crate) async fn move_output(call: &Call<'_>) -> Result<Reply, Refusal> {
    call.caller.authorize_upload()?;
    request_transfer(call, &read_json(call).await?).await.map(Reply::ok)
}

/// The same for any caller's input.
///
/// # Errors
/// 400 for an input of another shape; 404 for a task that is not the caller's; what the transfer ended with.
async fn request_transfer(call: &Call<'_>, input: &Value) -> Result<Value, Refusal> {
    call.caller.authorize_upload()?;
    if call.settings().output_hosts.is_empty() {
        let message = "this gateway moves no outputs; its operator can list their hosts in OUTPUT_HOSTS";
        return Err(Refusal::new(404, Code::INVALID_INPUT, "unknown_path", message));
    }
    let request =
        TransferRequest { subject: call.caller.subject.clone(), task: task(call, input)?, output: output(input)? };
    match send_to_transfer(call.env, &call.settings().tenant, &request).await? {
        TransferReport::Done { file_id, size } => Ok(json!({"file_id": call.seal("file", &file_id), "size": size})),
        TransferReport::Failed(refusal) => Err(refusal.into()),
        TransferReport::Running { loaded, total } => {
            let mut data = json!({"loaded": loaded});
            if let Some(total) = total {
                data["total"] = json!(total);
                data["progress"] = json!(loaded as f64 / total.max(1) as f64);
            }
            Ok(data)
        }
    }
}

fn task(call: &Call<'_>, input: &Value) -> Result<TaskName, Refusal> {
    let wrong = || Refusal::invalid("invalid_fields", "task_id is missing or no text; give the id of a task of yours");
    let sealed = input["task_id"].as_str().ok_or_else(wrong)?;
    match unseal_task(call, sealed) {
        Some(task) => Ok(TaskName::Upstream { group: task.group, id: task.id }),
        None => unseal_entry(call, sealed).map(TaskName::Entry).ok_or_else(Refusal::no_such_task),
    }
}

fn output(input: &Value) -> Result<u32, Refusal> {
    match &input["output"] {
        Value::Null => Ok(0),
        it => it.as_u64().filter(|it| *it < MAX_OUTPUTS).map(|it| it as u32).ok_or_else(|| {
            Refusal::invalid("invalid_fields", "output is no position in the task's outputs; give 0 for the first")
        }),
    }
}
