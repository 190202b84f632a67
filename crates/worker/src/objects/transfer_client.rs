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

/// A request to move an output of a task into the storage, and to report how far that is. Repeated, it goes on with the same
/// transfer.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct TransferRequest {
    /// The task's owner, for whom the file is.
    pub(crate) subject: Subject,
    pub(crate) task: TaskName,
    /// The position of the output in the task's list, from 0.
    pub(crate) output: u32,
    /// The output's URL, as it was just read. A transfer that is under way goes on with its own.
    pub(crate) url: String,
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

/// Sends a request to the transfer of an output, of which there is one for each owner and output.
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
    let task = match &request.task {
        TaskName::Upstream(task) => [task.group.name().to_owned(), task.id.clone()],
        TaskName::Entry(it) => [
            "entry".to_owned(),
            format!("{}.{}", it.number, it.created_at),
        ],
    };
    let name = hash(&[
        tenant,
        &task[0],
        &task[1],
        &request.output.to_string(),
        source,
        issuer,
        name,
    ]);
    let text = fetch_object_text(env, TRANSFER_BINDING, &name, request, DEADLINE).await;
    text.and_then(|it| serde_json::from_str(&it).ok())
        .ok_or_else(|| Refusal::from(Reason::TransferFailed))
}
