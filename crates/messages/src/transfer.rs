//! The requests to a transfer, and what sends them.

use std::time::Duration;

use futures_util::future::join_all;
use mediagate_access::crypto::hash;
use mediagate_access::identity::Subject;
use mediagate_access::refusal::Refusal;
use mediagate_core::{Reason, SUCCEEDED};
use mediagate_ids::{ResultRef, TaskName};
use mediagate_platform::ObjectError;
use mediagate_settings::Settings;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use worker::Env;

use crate::request::{ask, requests};
use crate::{ResultState, unanswered};

const DEADLINE: Duration = Duration::from_secs(20);

requests! {
    /// A message to a transfer.
    enum TransferMessage to "TRANSFER" {
        Move -> TransferReport, Other;
        Keep -> (), FollowUp;
        Delete -> (), FollowUp;
    }
    streams {}
}

/// Move a file into the storage. A repeated request reports the progress of the running transfer.
#[derive(Clone, Serialize, Deserialize)]
pub struct Move {
    pub subject: Subject,
    pub source: TransferSource,
}

#[derive(Clone, Serialize, Deserialize)]
pub enum TransferSource {
    /// An output of one of the caller's tasks.
    Output {
        task: TaskName,
        /// The position of the output in the task's list, from 0.
        output: u32,
        /// The output's URL, as it was just read. A running transfer ignores it, and continues with
        /// the URL of its first request. Empty until it was read.
        url: String,
        /// Its media type. It replaces the type that the server states, unless the output is a
        /// page.
        content_type: Option<String>,
        /// The name of the kind that the output must have
        /// ([`FileKind::name`](mediagate_core::FileKind::name)).
        kind: Option<String>,
        /// True if an output of an unknown type is refused.
        needs_type: bool,
    },
    /// A file that the caller names.
    File {
        url: String,
        /// Its media type. It replaces the type that the server states, unless the file is a page.
        content_type: Option<String>,
        /// The name of the kind that the file must have
        /// ([`FileKind::name`](mediagate_core::FileKind::name)).
        kind: Option<String>,
    },
}

impl TransferSource {
    /// Returns the parts of a key that is unique among the caller's sources.
    fn key(&self) -> [String; 4] {
        match self {
            TransferSource::Output {
                task,
                output,
                content_type,
                kind,
                needs_type,
                ..
            } => {
                let [group, id] = task.key();
                let needs_type = needs_type.then(|| "typed".to_owned());
                let checks: Vec<_> = [kind, content_type, &needs_type]
                    .into_iter()
                    .flatten()
                    .map(String::as_str)
                    .collect();
                [group, id, output.to_string(), checks.join(" ")]
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

/// Move a result into the bucket. A repeated request changes nothing. The response is sent before
/// the result is moved.
#[derive(Clone, Serialize, Deserialize)]
pub struct Keep {
    pub result: ResultRef,
    /// The output's URL, which was just read.
    pub url: String,
    /// The text for the name of the file. By default the title in the history.
    pub label: Option<String>,
}

/// Delete a result in the bucket.
#[derive(Serialize, Deserialize)]
pub struct Delete(pub ResultRef);

#[derive(Clone, Serialize, Deserialize)]
pub enum TransferReport {
    /// The transfer runs. `loaded` are the moved bytes, `total` all bytes if their number is known.
    Running {
        loaded: u64,
        total: Option<u64>,
    },
    /// The file is in the storage, under the upstream's own id.
    Done {
        file_id: String,
        size: u64,
    },
    Failed(Refusal),
}

/// Returns the name of the transfer of a file. Each caller and source has one transfer.
pub fn transfer_name(tenant: &str, request: &Move) -> String {
    let [group, id, part, kind] = request.source.key();
    request
        .subject
        .hash_with(&[tenant, &group, &id, &part, &kind])
}

/// Sends a request to the transfer of a file.
///
/// # Errors
/// 503 if too many objects are open; 500 if the transfer does not respond.
pub async fn send_to_transfer(
    env: &Env,
    tenant: &str,
    request: &Move,
) -> Result<TransferReport, Refusal> {
    let name = transfer_name(tenant, request);
    ask(env, &name, request.clone(), DEADLINE)
        .await
        .map_err(|error| unanswered(error, Reason::TransferFailed))
}

/// Requests that a result is deleted in the bucket. If the request is lost, the result is deleted
/// when it expires.
pub async fn delete_result(env: &Env, tenant: &str, result: ResultRef) {
    let name = transfer_of_result(tenant, &result);
    let _ = ask(env, &name, Delete(result), DEADLINE).await;
}

/// Returns the name of the transfer of a result. Each result has one transfer.
fn transfer_of_result(tenant: &str, result: &ResultRef) -> String {
    hash(&[tenant, "result", &result.object_key(tenant)])
}

/// The attempts to reach a transfer that does not respond.
const ATTEMPTS: u32 = 3;

/// Requests that the outputs of a task are kept, if it succeeded. Outputs in `known` are left out. A
/// repeated request changes nothing.
///
/// `record` is the task's record with the upstream's URLs. `label` is the text for the names of the
/// files. Without it, the title in the history is used.
///
/// # Errors
/// [`Crowded`], also if some of the outputs were accepted.
pub async fn keep_outputs(
    env: &Env,
    settings: &Settings,
    owner: &Subject,
    task: &TaskName,
    label: Option<&str>,
    record: &Value,
    known: &[(u32, ResultState)],
) -> Result<(), Crowded> {
    if settings.results.is_none() || record["state"] != SUCCEEDED {
        return Ok(());
    }
    let outputs = record["outputs"].as_array().into_iter().flatten();
    let requests = (0..).zip(outputs).filter_map(|(position, output)| {
        let is_known = known.iter().any(|(other, _)| *other == position);
        let url = output["url"].as_str().filter(|_| !is_known)?;
        Some(Keep {
            result: ResultRef::new(owner, task, position),
            url: url.to_owned(),
            label: label.map(ToOwned::to_owned),
        })
    });
    let kept = join_all(requests.map(|request| keep(env, &settings.tenant, request))).await;
    kept.into_iter().collect()
}

/// Too many objects are open, so that a result is not kept yet. The request can be repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Crowded;

/// Sends a request until its transfer accepts it. If the transfer never responds, the next read of
/// the task requests the result again.
async fn keep(env: &Env, tenant: &str, request: Keep) -> Result<(), Crowded> {
    let name = transfer_of_result(tenant, &request.result);
    for _ in 0..ATTEMPTS {
        match ask(env, &name, request.clone(), DEADLINE).await {
            Ok(()) => return Ok(()),
            Err(ObjectError::Busy) => return Err(Crowded),
            Err(ObjectError::Silent) => {}
        }
    }
    Ok(())
}
