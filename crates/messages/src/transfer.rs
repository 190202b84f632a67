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
    enum TransferMessage to "TRANSFER" {
        Move -> TransferReport, Other;
        Keep -> (), FollowUp;
        Delete -> (), FollowUp;
    }
    streams {}
}

/// Moves a file into the storage. A repeated request reports the progress of the running transfer.
#[derive(Clone, Serialize, Deserialize)]
pub struct Move {
    pub subject: Subject,
    pub source: TransferSource,
}

#[derive(Clone, Serialize, Deserialize)]
pub enum TransferSource {
    Output {
        task: TaskName,
        /// The position of the output in the task's list, from 0.
        output: u32,
        /// The output's URL as it was just read; empty until then. A running transfer continues
        /// with the URL of its first request.
        url: String,
        /// Replaces the type that the server states, unless the output is a page.
        content_type: Option<String>,
        /// The kind that the output must have: a
        /// [`FileKind::name`](mediagate_core::FileKind::name).
        kind: Option<String>,
        /// Refuses an output of an unknown type.
        needs_type: bool,
    },
    File {
        url: String,
        /// Replaces the type that the server states, unless the file is a page.
        content_type: Option<String>,
        /// The kind that the file must have: a [`FileKind::name`](mediagate_core::FileKind::name).
        kind: Option<String>,
    },
}

impl TransferSource {
    /// Unique among the caller's sources.
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

/// Moves a result into the bucket. A repeated request changes nothing. The response is sent before
/// the result is moved.
#[derive(Clone, Serialize, Deserialize)]
pub struct Keep {
    pub result: ResultRef,
    /// The output's URL, which was just read.
    pub url: String,
    /// The text for the name of the file. By default the title in the history.
    pub label: Option<String>,
}

#[derive(Serialize, Deserialize)]
pub struct Delete(pub ResultRef);

#[derive(Clone, Serialize, Deserialize)]
pub enum TransferReport {
    /// The transfer runs. `loaded` and `total` are bytes; `total` is absent if it is unknown.
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

/// Each caller and source has one transfer.
pub fn transfer_name(tenant: &str, request: &Move) -> String {
    let [group, id, part, kind] = request.source.key();
    request
        .subject
        .hash_with(&[tenant, &group, &id, &part, &kind])
}

/// Sends a request to the transfer of a file. 503 if too many objects are open; 500 if the transfer
/// does not respond.
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

/// Each result has one transfer.
fn transfer_of_result(tenant: &str, result: &ResultRef) -> String {
    hash(&[tenant, "result", &result.object_key(tenant)])
}

/// The attempts to reach a transfer that does not respond.
const ATTEMPTS: u32 = 3;

/// Requests that the outputs of a task that succeeded are kept, without those in `known`. A
/// repeated request changes nothing. `record` has the upstream's URLs. `label` is for the names of
/// the files; without it, the title in the history is used. Some of the outputs may be accepted
/// before [`Crowded`].
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
