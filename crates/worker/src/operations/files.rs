//! Moves files into the storage, so that they can be inputs: outputs of tasks, and files at a URL.

use mediagate_access::identity::Item;
use mediagate_access::refusal::Refusal;
use mediagate_core::{Field, FileKind, Kind, Reason, is_valid, validate_fields};
use mediagate_ids::ResultRef;
use mediagate_messages::transfer::{
    Move, TransferReport, TransferSource, send_to_transfer, transfer_name,
};
use mediagate_messages::{
    TransferCaller, begin_transfer, end_transfer, forget_transfer, is_counted, output_url,
};
use mediagate_platform::now_ms;
use mediagate_settings::escaped;
use mediagate_settings::url::has_no_credentials;
use mediagate_upstream_client::media_type::{essence, is_media};
use serde_json::{Value, json};
use url::Url;

use super::RequestContext;
use super::status::unseal_name;

const MAX_OUTPUTS: f64 = 100.0;

static OUTPUT_FIELDS: [Field; 2] = [
    Field::new("task_id", Kind::FilledText).required(),
    Field::new("output", Kind::Int32),
];

/// The longest URL of a file, in bytes.
const MAX_URL_LEN: usize = 4096;

/// The members of a request for the file at a URL.
pub(crate) static URL_FIELDS: [Field; 3] = [
    Field::new("url", Kind::FilledText).required(),
    Field::new("content_type", Kind::Text),
    Field::new("kind", Kind::Choice),
];

/// `POST /api/app/v1/files` with `{task_id, output}` or `{url, content_type, kind}`: returns
/// `{file_id, size}` once the file is in the storage. Before that, after some seconds, it returns
/// `{progress, loaded, total}`, and the same request again waits for the same transfer.
pub(crate) async fn move_file(context: &RequestContext<'_>) -> Result<Value, Refusal> {
    context.caller.authorize_upload()?;
    let input = context.read_json().await?;
    if input["url"].is_null() {
        request_output(context, &input).await
    } else {
        request_file(context, &input).await
    }
}

/// Moves an output of a task into the storage. 403 without the scope; 404 if the gateway moves no
/// outputs, and for a task that is not the caller's; 400 for an input of another shape; or the
/// error that the transfer ended with.
pub(crate) async fn request_output(
    context: &RequestContext<'_>,
    input: &Value,
) -> Result<Value, Refusal> {
    context.caller.authorize_upload()?;
    if !context.settings().moves_outputs() {
        let message =
            "this gateway moves no outputs; its operator can list their hosts in OUTPUT_HOSTS";
        return Err(Refusal::new(Reason::UnknownPath, message));
    }
    let issues = validate_fields(&OUTPUT_FIELDS, input);
    if !is_valid(&issues) {
        return Err(Refusal::issues(&issues));
    }
    let sealed = input["task_id"].as_str().unwrap_or_default();
    let task = unseal_name(context, sealed).ok_or(Reason::UnknownTask)?;
    let output = output(input)?;
    let source = TransferSource::Output {
        task,
        output,
        url: String::new(),
        content_type: None,
        kind: None,
        needs_type: false,
    };
    Admitted::new(context, source).await?.run(context).await
}

/// Reads the file at a URL from a request: an output by the gateway's address, or a file on a host
/// of `INPUT_HOSTS`. Sends no requests. 403 without the scope; 404 if no host is allowed; 400 for
/// an input of another shape; 422 for a host that is not allowed, and for a URL with a login.
pub(crate) fn read_source(
    context: &RequestContext<'_>,
    input: &Value,
) -> Result<TransferSource, Refusal> {
    context.caller.authorize_upload()?;
    let issues = validate_fields(&URL_FIELDS, input);
    if !is_valid(&issues) {
        return Err(Refusal::issues(&issues));
    }
    let kind = kind(input)?.map(|kind| kind.name().to_owned());
    let content_type = content_type(input)?;
    let text = input["url"].as_str().unwrap_or_default();
    if let Some(result) = own_result(context, text) {
        return Ok(TransferSource::Output {
            task: result.task,
            output: result.position,
            url: String::new(),
            content_type,
            kind,
            needs_type: true,
        });
    }
    Ok(TransferSource::File {
        url: allowed_url(context, text)?,
        content_type,
        kind,
    })
}

/// Admits the transfer of [`read_source`]. Loads nothing.
pub(crate) async fn admit(
    context: &RequestContext<'_>,
    mut source: TransferSource,
) -> Result<Admitted, Refusal> {
    if let TransferSource::Output { task, .. } = &mut source {
        let subject = &context.caller.subject;
        *task = context.ledgers().results(subject, task).await?.task(task);
    }
    Admitted::new(context, source).await
}

/// Loads the file at a URL into the storage: `{file_id, size}` or `{progress, loaded, total}`, as
/// for an output. If it is repeated, it reports the running transfer. 400 for a file that no field
/// takes, or that is of another kind; the error that the transfer ended with; also the errors of
/// [`read_source`], [`admit`] and [`Admitted::find`].
pub(crate) async fn request_file(
    context: &RequestContext<'_>,
    input: &Value,
) -> Result<Value, Refusal> {
    let source = read_source(context, input)?;
    admit(context, source).await?.run(context).await
}

/// Checks that a URL may be loaded, so that no object starts for a URL that may not.
fn allowed_url(context: &RequestContext<'_>, text: &str) -> Result<String, Refusal> {
    let hosts = &context.settings().input_hosts;
    if hosts.is_empty() {
        let message = "this gateway loads no files from URLs; upload the file, or have the \
            operator list hosts in INPUT_HOSTS";
        return Err(Refusal::new(Reason::UnknownPath, message));
    }
    if Url::parse(text).is_ok_and(|url| !has_no_credentials(&url)) {
        return Err(Reason::InputNeedsLogin.into());
    }
    let url = escaped(text)
        .filter(|url| url.len() <= MAX_URL_LEN)
        .and_then(|url| hosts.allowed(&url))
        .ok_or(Reason::InputHostNotAllowed)?;
    Ok(url.into())
}

/// Returns the output of one of the caller's tasks, if the URL is the gateway's address of it. It
/// needs no entry in `INPUT_HOSTS`, because the gateway loads nothing from itself.
fn own_result(context: &RequestContext<'_>, url: &str) -> Option<ResultRef> {
    let url = Url::parse(url).ok()?;
    let result = ResultRef::of_url(&context.upstream.sealer, &url)?;
    (result.owner == context.caller.subject).then_some(result)
}

/// A transfer that may begin, and is counted until it is dropped before it is sent.
pub(crate) struct Admitted {
    name: String,
    request: Move,
    /// True if this request has counted the transfer and has not sent it.
    is_new: bool,
}

impl Admitted {
    /// Checks that a transfer may begin, before anything is done. A transfer that is under way
    /// passes. 429 if all anonymous callers together have used up their uploads; also the errors of
    /// [`begin_transfer`].
    async fn new(context: &RequestContext<'_>, source: TransferSource) -> Result<Self, Refusal> {
        let settings = context.settings();
        let subject = &context.caller.subject;
        let request = Move {
            subject: subject.clone(),
            source,
        };
        let name = transfer_name(&settings.tenant, &request);
        let is_new = !is_counted(&name, now_ms());
        if is_new {
            let taking = settings.anonymous.taking(Item::Upload, 0);
            let ledgers = context.ledgers();
            ledgers
                .check_taking(subject, taking, Some(name.clone()))
                .await?;
            let caller = TransferCaller {
                subject: subject.hash_with(&[]),
                network: context.incoming.network(),
            };
            begin_transfer(&name, caller, settings.transfers_per_subject, now_ms())?;
        }
        Ok(Admitted {
            name,
            request,
            is_new,
        })
    }

    /// Finds the URL of an output, so that no object starts for an output that does not exist: 404.
    /// Also the upstream's error as a refusal.
    pub(crate) async fn find(mut self, context: &RequestContext<'_>) -> Result<Self, Refusal> {
        if let TransferSource::Output {
            task, output, url, ..
        } = &mut self.request.source
        {
            let subject = &self.request.subject;
            *url = output_url(context.env, context.settings(), subject, task, *output).await?;
        }
        Ok(self)
    }

    /// Begins the transfer, or continues to wait for it. 503 if too many objects are open; or the
    /// error that the transfer ended with.
    pub(crate) async fn send(mut self, context: &RequestContext<'_>) -> Result<Value, Refusal> {
        let tenant = &context.settings().tenant;
        let is_new = std::mem::take(&mut self.is_new);
        match send_to_transfer(context.env, tenant, &self.request).await {
            Ok(TransferReport::Done { file_id, size }) => {
                end_transfer(&self.name, now_ms());
                Ok(json!({"file_id": context.seal("file", &file_id), "size": size}))
            }
            Ok(TransferReport::Failed(refusal)) => {
                end_transfer(&self.name, now_ms());
                Err(refusal)
            }
            Ok(TransferReport::Running { loaded, total }) => {
                let mut data = json!({"loaded": loaded});
                if let Some(total) = total {
                    data["total"] = json!(total);
                    data["progress"] = json!(loaded as f64 / total.max(1) as f64);
                }
                Ok(data)
            }
            Err(refusal) => {
                // Otherwise the transfer may run on.
                self.is_new = is_new && refusal.is(Reason::Busy);
                Err(refusal)
            }
        }
    }

    async fn run(self, context: &RequestContext<'_>) -> Result<Value, Refusal> {
        self.find(context).await?.send(context).await
    }
}

impl Drop for Admitted {
    fn drop(&mut self) {
        if self.is_new {
            forget_transfer(&self.name);
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

fn content_type(input: &Value) -> Result<Option<String>, Refusal> {
    // A Blob of an unknown type has an empty one.
    let stated = input["content_type"].as_str();
    let content_type = stated.filter(|stated| !stated.is_empty()).map(essence);
    match content_type {
        Some(content_type) if !is_media(&content_type) => {
            let message = "content_type is no type of a picture, a video, a sound or a PDF \
                document; give one, such as video/mp4";
            Err(Refusal::new(Reason::InvalidFields, message))
        }
        content_type => Ok(content_type),
    }
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
