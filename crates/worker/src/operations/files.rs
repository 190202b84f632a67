//! Moves files into the storage, so that they can be inputs: outputs of tasks, and files at a URL.

use mediagate_core::{Field, FileKind, Kind, Reason, is_valid, validate_fields};
use serde_json::{Value, json};
use url::Url;

use super::RequestContext;
use super::status::unseal_name;
use crate::ids::ResultRef;
use crate::media_type::{essence, is_media};
use crate::objects::{
    TransferReport, TransferRequest, TransferSource, output_url, send_to_transfer,
};
use crate::refusal::Refusal;
use crate::settings::escaped;
use crate::settings::url::has_no_credentials;

const MAX_OUTPUTS: f64 = 100.0;

static OUTPUT_FIELDS: [Field; 2] = [
    Field::new("task_id", Kind::FilledText)
        .required()
        .doc("The id of a task."),
    Field::new("output", Kind::Int32)
        .doc("The position of the output in the task's outputs, from 0."),
];

/// The maximum length of the URL of a file, in bytes.
const MAX_URL_LEN: usize = 4096;

/// The members of a request for the file at a URL.
pub(crate) static URL_FIELDS: [Field; 3] = [
    Field::new("url", Kind::FilledText).required().doc(
        "The https URL of a picture, video, sound or PDF document, which is loaded without a \
             login.",
    ),
    Field::new("content_type", Kind::Text)
        .doc("Its media type, if the server at that URL does not state one."),
    Field::new("kind", Kind::Choice)
        .doc("The medium that the file must hold, else it is refused: image, video, audio or pdf."),
];

/// `POST /api/app/v1/files` with `{task_id, output}` or `{url, content_type, kind}`: returns
/// `{file_id, size}` once the file is in the storage. Before that, after some seconds, it returns
/// `{progress, loaded, total}`, and the same request again waits for the same transfer.
///
/// # Errors
/// 403 without the scope, and those of [`RequestContext::read_json`], [`request_output`] and
/// [`request_file`].
pub(crate) async fn move_file(context: &RequestContext<'_>) -> Result<Value, Refusal> {
    context.caller.authorize_upload()?;
    let input = context.read_json().await?;
    if input["url"].is_null() {
        request_output(context, &input).await
    } else {
        request_file(context, &input).await
    }
}

/// Moves an output of a task into the storage.
///
/// # Errors
/// 403 without the scope; 404 if the gateway moves no outputs, and for a task that is not the
/// caller's; 400 for an input of another shape; the error that the transfer ended with.
pub(crate) async fn request_output(
    context: &RequestContext<'_>,
    input: &Value,
) -> Result<Value, Refusal> {
    context.caller.authorize_upload()?;
    if context.settings().output_hosts.is_empty() {
        let message =
            "this gateway moves no outputs; its operator can list their hosts in OUTPUT_HOSTS";
        return Err(Refusal::new(Reason::UnknownPath, message));
    }
    let issues = validate_fields(&OUTPUT_FIELDS, input);
    if !is_valid(&issues) {
        return Err(Refusal::issues(&issues));
    }
    let subject = &context.caller.subject;
    let sealed = input["task_id"].as_str().unwrap_or_default();
    let task = unseal_name(context, sealed).ok_or(Reason::UnknownTask)?;
    let output = output(input)?;
    // Read the URL before the transfer, so that no object starts for an output that does not exist.
    let url = output_url(context.env, context.settings(), subject, &task, output).await?;
    transfer(context, TransferSource::Output { task, output, url }).await
}

/// Loads the file at a URL into the storage: `{file_id, size}` or `{progress, loaded, total}`, as
/// for an output. If it is repeated, it reports the running transfer.
///
/// # Errors
/// 403 without the scope; 404 if no host is allowed, and if the URL is of a result that no longer
/// exists; 400 for an input of another shape, and for a file that no field takes, or that is of
/// another kind; 422 for a host that is not allowed; the error that the transfer ended with.
pub(crate) async fn request_file(
    context: &RequestContext<'_>,
    input: &Value,
) -> Result<Value, Refusal> {
    context.caller.authorize_upload()?;
    let issues = validate_fields(&URL_FIELDS, input);
    if !is_valid(&issues) {
        return Err(Refusal::issues(&issues));
    }
    let kind = kind(input)?;
    let text = input["url"].as_str().unwrap_or_default();
    if let Some(source) = own_result(context, text).await? {
        return transfer(context, source).await;
    }
    let hosts = &context.settings().input_hosts;
    if hosts.is_empty() {
        let message = "this gateway loads no files from URLs; upload the file, or have the \
            operator list hosts in INPUT_HOSTS";
        return Err(Refusal::new(Reason::UnknownPath, message));
    }
    // Check the URL before the transfer, so that no object starts for a URL that may not be loaded.
    if Url::parse(text).is_ok_and(|url| !has_no_credentials(&url)) {
        return Err(Reason::InputNeedsLogin.into());
    }
    let url = escaped(text)
        .filter(|url| url.len() <= MAX_URL_LEN)
        .and_then(|url| hosts.allowed(&url))
        .ok_or(Reason::InputHostNotAllowed)?;
    let content_type = input["content_type"].as_str().map(essence);
    if content_type
        .as_deref()
        .is_some_and(|essence| !is_media(essence))
    {
        let message = "content_type is no type of a picture, a video, a sound or a PDF document; \
            give one, such as video/mp4";
        return Err(Refusal::new(Reason::InvalidFields, message));
    }
    let source = TransferSource::File {
        url: url.into(),
        content_type,
        kind: kind.map(|kind| kind.name().to_owned()),
    };
    transfer(context, source).await
}

/// Returns the output of one of the caller's tasks, if the URL is the gateway's address of it. No
/// entry in `INPUT_HOSTS` is needed, because the gateway loads nothing from itself.
async fn own_result(
    context: &RequestContext<'_>,
    url: &str,
) -> Result<Option<TransferSource>, Refusal> {
    let subject = &context.caller.subject;
    let given = Url::parse(url).ok();
    let result = given.and_then(|url| ResultRef::of_url(&context.upstream.sealer, &url));
    let Some(result) = result.filter(|result| result.owner == *subject) else {
        return Ok(None);
    };
    let results = context.ledgers().results(subject, &result.task).await?;
    let task = results.task(&result.task);
    let output = result.position;
    let url = output_url(context.env, context.settings(), subject, &task, output).await?;
    Ok(Some(TransferSource::Output { task, output, url }))
}

/// Begins a transfer, or continues to wait for it.
async fn transfer(context: &RequestContext<'_>, source: TransferSource) -> Result<Value, Refusal> {
    let request = TransferRequest {
        subject: context.caller.subject.clone(),
        source,
    };
    match send_to_transfer(context.env, &context.settings().tenant, &request).await? {
        TransferReport::Done { file_id, size } => {
            Ok(json!({"file_id": context.seal("file", &file_id), "size": size}))
        }
        TransferReport::Failed(refusal) => Err(refusal),
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

fn kind(input: &Value) -> Result<Option<FileKind>, Refusal> {
    let Some(name) = input["kind"].as_str() else {
        return Ok(None);
    };
    FileKind::named(name).map(Some).ok_or_else(|| {
        let message = "kind is no medium; give image, video, audio or pdf";
        Refusal::new(Reason::InvalidFields, message)
    })
}

fn output(input: &Value) -> Result<u32, Refusal> {
    match input["output"].as_f64().unwrap_or_default() {
        position if (0.0..MAX_OUTPUTS).contains(&position) => Ok(position as u32),
        _ => {
            let message =
                "output is no position in a task's outputs; give 0 for the first, at most 99";
            Err(Refusal::new(Reason::InvalidFields, message))
        }
    }
}
