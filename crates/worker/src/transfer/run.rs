//! One transfer: reads the task anew, loads the output, and streams it to a fresh upload URL.

use std::cell::Cell;

use mediagate_core::{Code, is_terminal, is_valid, validate_upload};
use serde_json::{Value, json};
use worker::Env;

use super::source::{Source, wrong_size};
use crate::identity::Item;
use crate::objects::{LedgerClient, TaskName, TransferRequest};
use crate::platform::Counter;
use crate::refusal::Refusal;
use crate::upstream::{StorageError, StorageUpload, Upstream, UpstreamClient};

/// How far a transfer is.
pub(super) struct Progress {
    counter: Counter,
    total: Cell<Option<u64>>,
}

impl Progress {
    pub(super) fn new() -> Self {
        Progress { counter: Counter::new(), total: Cell::new(None) }
    }

    /// The bytes that were moved.
    pub(super) fn loaded(&self) -> u64 {
        self.counter.bytes() as u64
    }

    /// All bytes, once their number is known.
    pub(super) fn total(&self) -> Option<u64> {
        self.total.get()
    }
}

/// Moves the output: the upstream's id of the file, and its size in bytes.
///
/// # Errors
/// A refusal that says what is missing: the task, the output, its URL, its length, or the storage.
pub(super) async fn run(env: &Env, request: &TransferRequest, progress: &Progress) -> Result<(String, u64), Refusal> {
    let misconfigured = |it: crate::settings::SettingsError| Refusal::misconfigured(it.setting, it.to_string());
    let upstream = Upstream::shared(env).map_err(misconfigured)?;
    let upstream_ms = Cell::new(0.0);
    let client = upstream.client(&request.subject, &upstream_ms);
    let ledgers = LedgerClient::new(env, &upstream.settings);
    let url = output_url(&client, &ledgers, request).await?;
    let source = Source::open(&upstream.settings, &url).await?;
    progress.total.set(source.size);
    let file_id = store(&client, &ledgers, &source, progress).await.inspect_err(|_| {
        // While it is locked, it is being moved, which ends it.
        if !source.body.locked() {
            let _ = source.body.cancel();
        }
    })?;
    Ok((file_id, progress.loaded()))
}

/// The URL of the output, from a fresh read of its task: an earlier one may have expired.
async fn output_url(
    client: &UpstreamClient<'_>,
    ledgers: &LedgerClient<'_>,
    request: &TransferRequest,
) -> Result<String, Refusal> {
    let data = match &request.task {
        TaskName::Upstream { group, id } => client.poll(*group, id).await?.data,
        TaskName::Entry(entry) => ledgers.result(client.subject, *entry).await?.ok_or_else(Refusal::no_such_task)?,
    };
    let task = &data["task"];
    match &task["outputs"][request.output as usize] {
        Value::Null if !task["state"].as_str().is_some_and(is_terminal) => {
            let message = "the task has not ended, and has no such output yet; wait for its end";
            Err(Refusal::new(409, Code::INVALID_INPUT, "task_running", message))
        }
        Value::Null => {
            let message = "the task has no output at this position; its outputs are counted from 0";
            Err(Refusal::new(404, Code::INVALID_INPUT, "unknown_output", message))
        }
        output => output["url"].as_str().map(str::to_owned).ok_or_else(|| {
            let message = "the output is an asset without a file; use its asset_id in a field for an asset";
            Refusal::new(409, Code::INVALID_INPUT, "output_without_url", message)
        }),
    }
}

async fn store(
    client: &UpstreamClient<'_>,
    ledgers: &LedgerClient<'_>,
    source: &Source,
    progress: &Progress,
) -> Result<String, Refusal> {
    let settings = &client.upstream.settings;
    // Where the length is not known, as many bytes as may come.
    let bytes = source.size.unwrap_or(settings.max_upload_bytes);
    let taking = settings.anonymous.taking(Item::Upload, bytes);
    if client.subject.is_anonymous() && !taking.is_unlimited() {
        ledgers.take(taking).await?;
    }
    let mut input = json!({"file_name": source.file_name, "content_type": source.content_type, "size": bytes});
    if !is_valid(&validate_upload(&input)) {
        // Names of a host's own making.
        input["file_name"] = json!("output");
        input["content_type"] = json!("application/octet-stream");
    }
    if source.size.is_none() {
        // The upload URL is requested without a size.
        input.as_object_mut().map(|it| it.remove("size"));
    }
    let (url, upload) = client.upload_url(&input).await?;
    let sent = StorageUpload::new(&url, &upload, &input).send(settings, &source.body, &progress.counter).await;
    sent.map(|()| upload.file_id).map_err(|it| match it {
        StorageError::Internal => Refusal::internal("transfer"),
        StorageError::Deadline => Refusal::deadline(),
        StorageError::Stalled => Refusal::unreadable("transfer_stalled"),
        StorageError::Unreachable => Refusal::unreadable("transfer_interrupted"),
        StorageError::WrongSize => wrong_size(settings),
        StorageError::Expired | StorageError::Refused => Refusal::unreadable("storage_refused"),
    })
}
