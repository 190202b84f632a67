//! Moves files into the storage, so that they are inputs: outputs of tasks, and files that have a
//! URL.

use mediagate_core::{Field, Kind, Reason, is_valid, validate_fields};
use serde_json::{Value, json};

use super::RequestContext;
use super::body::read_json;
use super::status::{unseal_entry, unseal_task};
use crate::media_type::{essence, is_media};
use crate::objects::{
    TaskName, TransferReport, TransferRequest, TransferSource, output_url, send_to_transfer,
};
use crate::refusal::Refusal;
use crate::reply::Reply;
use crate::settings::escaped;

/// The most outputs of a task.
const MAX_OUTPUTS: f64 = 100.0;

/// The members of a request.
static FIELDS: [Field; 2] = [
    Field::new("task_id", Kind::FilledText)
        .required()
        .doc("The id of a task."),
    Field::new("output", Kind::Int32)
        .doc("The position of the output in the task's outputs, from 0."),
];

/// The longest URL of a file, in bytes.
const MAX_URL_LEN: usize = 4096;

/// The arguments of `upload_from_url`.
pub(crate) static URL_FIELDS: [Field; 2] = [
    Field::new("url", Kind::FilledText)
        .required()
        .doc("The https URL of a picture, video, sound or PDF document, which is loaded without a login."),
    Field::new("content_type", Kind::Text)
        .doc("Its media type, if the server at that URL does not state one."),
];

/// `POST /api/app/v1/files` with `{task_id, output}`: `{file_id, size}` once the file is in the storage; before that, after
/// some seconds, `{progress, loaded, total}`, and the same request again goes on waiting for the same transfer.
pub(crate) async fn move_output(context: &RequestContext<'_>) -> Result<Reply, Refusal> {
    context.caller.authorize_upload()?;
    request_transfer(context, &read_json(context).await?)
        .await
        .map(Reply::ok)
}

/// The same for any caller's input.
///
/// # Errors
/// 400 for an input of another shape; 404 for a task that is not the caller's; what the transfer ended with.
pub(crate) async fn request_transfer(
    context: &RequestContext<'_>,
    input: &Value,
) -> Result<Value, Refusal> {
    context.caller.authorize_upload()?;
    if context.settings().output_hosts.is_empty() {
        let message =
            "this gateway moves no outputs; its operator can list their hosts in OUTPUT_HOSTS";
        return Err(Refusal::new(Reason::UnknownPath, message));
    }
    let issues = validate_fields(&FIELDS, input);
    if !is_valid(&issues) {
        return Err(Refusal::issues(&issues));
    }
    let subject = &context.caller.subject;
    let task = task(context, input)?;
    let output = output(input)?;
    // Read before the transfer: no object is started for an output that does not exist.
    let url = output_url(context.env, context.settings(), subject, &task, output).await?;
    transfer(context, TransferSource::Output { task, output, url }).await
}

/// Loads the file at a URL into the storage: `{file_id, size}` or `{progress, loaded, total}`, as
/// for an output. If it is repeated, it reports the running transfer.
///
/// # Errors
/// 403 for an anonymous caller; 400 for an input of another shape, and for a file that no field
/// takes; 422 for a host that is not allowed; the error that the transfer ended with.
pub(crate) async fn request_file(
    context: &RequestContext<'_>,
    input: &Value,
) -> Result<Value, Refusal> {
    context.caller.authorize_upload()?;
    if context.caller.subject.is_anonymous() {
        let message = "an anonymous session can't have files loaded from URLs; upload the file";
        return Err(Refusal::new(Reason::Scope, message));
    }
    let issues = validate_fields(&URL_FIELDS, input);
    if !is_valid(&issues) {
        return Err(Refusal::issues(&issues));
    }
    // Checked before the transfer: no object is started for a URL that may not be loaded.
    let url = input["url"]
        .as_str()
        .and_then(escaped)
        .filter(|url| url.len() <= MAX_URL_LEN)
        .and_then(|url| context.settings().upload_from_hosts.allowed(&url))
        .ok_or_else(Refusal::file_not_allowed)?;
    let content_type = input["content_type"].as_str().map(essence);
    if content_type
        .as_deref()
        .is_some_and(|essence| !is_media(essence))
    {
        let message = "content_type is no type of a picture, a video, a sound or a PDF document; give one, such as video/mp4";
        return Err(Refusal::new(Reason::InvalidFields, message));
    }
    let source = TransferSource::File {
        url: url.into(),
        content_type,
    };
    transfer(context, source).await
}

/// Begins a transfer, or goes on waiting for it.
async fn transfer(context: &RequestContext<'_>, source: TransferSource) -> Result<Value, Refusal> {
    let request = TransferRequest {
        subject: context.caller.subject.clone(),
        source,
    };
    match send_to_transfer(context.env, &context.settings().tenant, &request).await? {
        TransferReport::Done { file_id, size } => {
            Ok(json!({"file_id": context.seal("file", &file_id), "size": size}))
        }
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

fn task(context: &RequestContext<'_>, input: &Value) -> Result<TaskName, Refusal> {
    let sealed = input["task_id"].as_str().unwrap_or_default();
    match unseal_task(context, sealed) {
        Some(task) => Ok(TaskName::Upstream(task)),
        None => unseal_entry(context, sealed)
            .map(TaskName::Entry)
            .ok_or_else(|| Refusal::from(Reason::UnknownTask)),
    }
}

fn output(input: &Value) -> Result<u32, Refusal> {
    match input["output"].as_f64().unwrap_or_default() {
        it if (0.0..MAX_OUTPUTS).contains(&it) => Ok(it as u32),
        _ => {
            let message =
                "output is no position in a task's outputs; give 0 for the first, at most 99";
            Err(Refusal::new(Reason::InvalidFields, message))
        }
    }
}
