//! Sends requests to transfers.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use worker::Env;

use crate::crypto::hash;
use crate::identity::Subject;
use crate::ids::{ResultRef, TaskName};
use crate::platform::fetch_object_text;
use crate::refusal::Refusal;
use mediagate_core::{Code, Reason};

/// The name of the binding to the transfers.
pub(crate) const TRANSFER_BINDING: &str = "TRANSFER";

/// How long a request to a transfer may take.
const DEADLINE: std::time::Duration = std::time::Duration::from_secs(20);

/// A request to move a file into the storage, and to report how far that is. If it is
/// repeated, it reports the running transfer.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct TransferRequest {
    /// The caller that the file is for.
    pub(crate) subject: Subject,
    pub(crate) source: TransferSource,
}

/// The file that is moved.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) enum TransferSource {
    /// An output of one of the caller's tasks.
    Output {
        task: TaskName,
        /// The position of the output in the task's list, from 0.
        output: u32,
        /// The output's URL, as it was just read. A transfer that is under way goes on with its
        /// own.
        url: String,
    },
    /// A file that the caller names.
    File {
        url: String,
        /// Its media type, for a server that does not state it.
        content_type: Option<String>,
        /// The name of the medium that it must hold ([`FileKind::name`](mediagate_core::FileKind::name)).
        kind: Option<String>,
    },
}

impl TransferSource {
    /// Returns what distinguishes the source from the caller's others.
    fn key(&self) -> [String; 4] {
        match self {
            TransferSource::Output { task, output, .. } => {
                let [group, id] = task.key();
                [group, id, output.to_string(), String::new()]
            }
            TransferSource::File {
                url,
                content_type,
                kind,
            } => [
                "url".to_owned(),
                url.clone(),
                content_type.clone().unwrap_or_default(),
                kind.clone().unwrap_or_default(),
            ],
        }
    }
}

/// A request to keep a result. If it is repeated, nothing more happens.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct KeepRequest {
    pub(crate) result: ResultRef,
    /// The output's URL, which was just read.
    pub(crate) url: String,
    /// The text for the name of the file; by default the title in the history.
    pub(crate) label: Option<String>,
}

/// A message to a transfer.
#[derive(Serialize, Deserialize)]
pub(crate) enum TransferMessage {
    /// Move a file into the storage. The response is a [`TransferReport`].
    Move(TransferRequest),
    /// Move a result into the bucket. The response, `null`, does not wait for that.
    Keep(KeepRequest),
    /// Delete a result in the bucket. The response is `null`.
    Delete(ResultRef),
}

/// How far a transfer is.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) enum TransferReport {
    /// It goes on: the bytes that were moved, and all of them, once their number is known.
    Running { loaded: u64, total: Option<u64> },
    /// The file is in the storage, under the upstream's own id.
    Done { file_id: String, size: u64 },
    /// It failed.
    Failed(StoredRefusal),
}

/// A refusal as an object stores it.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct StoredRefusal {
    status: u16,
    code: i32,
    message: String,
    data: Map<String, Value>,
    retry_after: Option<u32>,
}

impl From<Refusal> for StoredRefusal {
    fn from(refusal: Refusal) -> Self {
        let Refusal {
            status,
            code,
            message,
            data,
            retry_after,
            ..
        } = refusal;
        StoredRefusal {
            status,
            code: code.0,
            message,
            data,
            retry_after,
        }
    }
}

impl From<StoredRefusal> for Refusal {
    fn from(stored: StoredRefusal) -> Self {
        let StoredRefusal {
            status,
            code,
            message,
            data,
            retry_after,
        } = stored;
        Refusal {
            status,
            code: Code(code),
            message,
            data,
            retry_after,
            headers: Vec::new(),
        }
    }
}

/// Sends a request to the transfer of a file. Each caller and source has one transfer.
///
/// # Errors
/// 500 where it does not respond.
pub(crate) async fn send_to_transfer(
    env: &Env,
    tenant: &str,
    request: &TransferRequest,
) -> Result<TransferReport, Refusal> {
    let Subject {
        source,
        issuer,
        name,
    } = &request.subject;
    let [group, id, part, kind] = request.source.key();
    let name = hash(&[tenant, &group, &id, &part, &kind, source, issuer, name]);
    let message = TransferMessage::Move(request.clone());
    let text = fetch_object_text(env, TRANSFER_BINDING, &name, &message, DEADLINE).await;
    text.and_then(|it| serde_json::from_str(&it).ok())
        .ok_or_else(|| Refusal::from(Reason::TransferFailed))
}

/// Requests that a result is kept. Returns true if its transfer has accepted that.
pub(crate) async fn keep_result(env: &Env, tenant: &str, request: KeepRequest) -> bool {
    let name = transfer_of_result(tenant, &request.result);
    let message = TransferMessage::Keep(request);
    fetch_object_text(env, TRANSFER_BINDING, &name, &message, DEADLINE)
        .await
        .is_some()
}

/// Requests that a result is deleted in the bucket. If the request is lost, the result is deleted
/// when its time is over.
pub(crate) async fn delete_result(env: &Env, tenant: &str, result: ResultRef) {
    let name = transfer_of_result(tenant, &result);
    let message = TransferMessage::Delete(result);
    fetch_object_text(env, TRANSFER_BINDING, &name, &message, DEADLINE).await;
}

/// Returns the name of the transfer of a result, of which there is one.
fn transfer_of_result(tenant: &str, result: &ResultRef) -> String {
    hash(&[tenant, "result", &result.object_key(tenant)])
}
