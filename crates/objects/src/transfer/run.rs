use std::cell::Cell;

use mediagate_access::identity::{Item, Taking};
use mediagate_access::refusal::Refusal;
use mediagate_core::{FileKind, Reason, is_valid, validate_upload};
use mediagate_ids::ServedFile;
use mediagate_messages::LedgerClient;
use mediagate_messages::transfer::{Move, TransferSource};
use mediagate_platform::Counter;
use mediagate_upstream_client::{StorageError, StorageUpload, Upstream, UpstreamClient};
use serde_json::json;
use worker::Env;

use super::source::{Source, wrong_size};

pub(super) struct Progress {
    counter: Counter,
    total: Cell<Option<u64>>,
}

impl Progress {
    pub(super) fn new() -> Self {
        Progress {
            counter: Counter::new(),
            total: Cell::new(None),
        }
    }

    pub(super) fn loaded(&self) -> u64 {
        self.counter.bytes() as u64
    }

    pub(super) fn total(&self) -> Option<u64> {
        self.total.get()
    }
}

/// Moves the file. Returns the upstream's id of the file, and its size in bytes. Fails with a 429
/// if anonymous callers have used up their bytes, and if the source can't be opened or the storage
/// fails.
pub(super) async fn run(
    env: &Env,
    request: &Move,
    progress: &Progress,
) -> Result<(String, u64), Refusal> {
    let upstream = Upstream::try_shared(env)?;
    let upstream_ms = Cell::new(0.0);
    let client = upstream.client(&request.subject, "", &upstream_ms);
    let ledgers = LedgerClient::new(env, &upstream.settings);
    let settings = &upstream.settings;
    let (TransferSource::Output { url, kind, .. } | TransferSource::File { url, kind, .. }) =
        &request.source;
    let kind = kind.as_deref().and_then(FileKind::named);
    let source = match &request.source {
        TransferSource::Output { .. } => open_output(env, &upstream, url, kind).await?,
        TransferSource::File { .. } => Source::open_file(settings, url, kind).await?,
    };
    let source = source.checked(&request.source, kind)?;
    progress.total.set(source.size);
    let file_id = store(&client, &ledgers, &source, progress)
        .await
        .inspect_err(|_| source.discard())?;
    Ok((file_id, progress.loaded()))
}

/// Opens an output by its URL. `kind` is the kind of file that is needed. Fails as [`Source::open`]
/// does; for an output that the gateway serves, as [`Source::of_medium`] or [`Source::of_file`].
pub(super) async fn open_output(
    env: &Env,
    upstream: &Upstream,
    url: &str,
    kind: Option<FileKind>,
) -> Result<Source, Refusal> {
    let settings = &upstream.settings;
    match ServedFile::of_url(&upstream.sealer, url) {
        Some(ServedFile::Medium(medium)) => {
            Source::of_medium(settings, &LedgerClient::new(env, settings), &medium).await
        }
        Some(ServedFile::OfModule(file)) => Source::of_file(upstream, &file, kind).await,
        // An upload is no output of a task.
        Some(ServedFile::Upload(_)) | None => Source::open(settings, url, kind).await,
    }
}

async fn store(
    client: &UpstreamClient<'_>,
    ledgers: &LedgerClient<'_>,
    source: &Source,
    progress: &Progress,
) -> Result<String, Refusal> {
    let settings = &client.upstream.settings;
    // A file of unknown length counts with the most bytes that it may have.
    let bytes = source.size.unwrap_or(settings.max_upload_bytes);
    // The upload itself was counted when the transfer began.
    let taking = Taking {
        count: 0,
        ..settings.anonymous.taking(Item::Upload, bytes)
    };
    ledgers.take(client.subject, taking, None).await?;
    let mut input =
        json!({"file_name": source.file_name, "content_type": source.content_type, "size": bytes});
    if !is_valid(&validate_upload(&input)) {
        // The host's name or type of the file is not valid for an upload.
        input["file_name"] = json!("output");
        input["content_type"] = json!("application/octet-stream");
    }
    if source.size.is_none() {
        // The upload URL is requested without a size.
        if let Some(members) = input.as_object_mut() {
            members.remove("size");
        }
    }
    let (url, upload) = client.upload_url(&input).await?;
    let sent = StorageUpload::new(&url, &upload, &input)
        .send(client.upstream, &source.body, &progress.counter)
        .await;
    sent.map(|()| upload.file_id).map_err(|error| match error {
        StorageError::Internal => Refusal::from(Reason::TransferFailed),
        StorageError::Deadline => Refusal::from(Reason::Deadline),
        StorageError::Stalled => Refusal::from(Reason::TransferStalled),
        StorageError::Unreachable => Refusal::from(Reason::TransferInterrupted),
        StorageError::WrongSize => wrong_size(settings),
        StorageError::Refused { .. } => Refusal::from(Reason::StorageRefused),
    })
}
