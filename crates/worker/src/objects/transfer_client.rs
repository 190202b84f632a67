//! Sends requests to transfers.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use worker::Env;

use super::TaskName;
use crate::crypto::hash;
use crate::identity::Subject;
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
    },
}

impl TransferSource {
    /// Returns what distinguishes the source from the caller's others.
    fn key(&self) -> [String; 3] {
        match self {
            TransferSource::Output { task, output, .. } => {
                let [group, id] = match task {
                    TaskName::Upstream(task) => [task.group.name().to_owned(), task.id.clone()],
                    TaskName::Entry(entry) => [
                        "entry".to_owned(),
                        format!("{}.{}", entry.number, entry.created_at),
                    ],
                };
                [group, id, output.to_string()]
            }
            TransferSource::File { url, content_type } => {
                let content_type = content_type.clone().unwrap_or_default();
                ["url".to_owned(), url.clone(), content_type]
            }
        }
    }
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
    let [kind, id, part] = request.source.key();
    let name = hash(&[tenant, &kind, &id, &part, source, issuer, name]);
    let text = fetch_object_text(env, TRANSFER_BINDING, &name, request, DEADLINE).await;
    text.and_then(|it| serde_json::from_str(&it).ok())
        .ok_or_else(|| Refusal::from(Reason::TransferFailed))
}
