//! Sends requests to watchers.

use std::time::Duration;

use mediagate_core::Reason;
use serde::{Deserialize, Serialize};
use web_sys::Response;
use worker::Env;

use super::{OutputsReport, StreamRequest, TaskOutputs};
use crate::identity::Subject;
use crate::ids::TaskRef;
use crate::platform::{ask_object, fetch_object};
use crate::refusal::Refusal;
use crate::settings::Settings;

pub(crate) const WATCHER_BINDING: &str = "WATCHER";

#[derive(Serialize, Deserialize)]
pub(crate) struct WatchRequest {
    pub(crate) task: TaskRef,
    /// The task's owner, for whom ids are sealed.
    pub(crate) subject: Subject,
    /// The gateway's URL, without a slash at its end, for the URLs of media in the record. Empty if
    /// no caller sees them.
    pub(crate) public_url: String,
    /// The text for the names of the task's files. `None` if the create has none.
    pub(crate) label: Option<String>,
    pub(crate) purpose: WatchPurpose,
}

#[derive(Serialize, Deserialize)]
pub(crate) enum WatchPurpose {
    /// To stream the task's updates.
    Subscribe(StreamRequest),
    /// To poll the task to its end without a subscriber. At the end, its slot is freed and the
    /// app's backend is notified.
    WatchToEnd,
    /// To read the task's outputs now, without watching it. The response is an [`OutputsReport`].
    ReadOutputs,
}

/// The time that a read of a task may take in addition to the upstream's deadline. The watcher may
/// have to wait for its turn.
const READ_GRACE: Duration = Duration::from_secs(10);

/// Sends a request to the watcher of a task. Returns `None` if the watcher can't be reached or
/// fails.
pub(crate) async fn send_to_watcher(
    env: &Env,
    tenant: &str,
    request: &WatchRequest,
) -> Option<Response> {
    fetch_object(
        env,
        WATCHER_BINDING,
        &watcher_name(tenant, request),
        request,
    )
    .await
}

/// Reads the outputs of a task of the upstream.
///
/// # Errors
/// 404 if the upstream has no such task; the upstream's error as a refusal; 500 if the watcher does
/// not respond.
pub(crate) async fn read_outputs(
    env: &Env,
    settings: &Settings,
    subject: &Subject,
    task: &TaskRef,
) -> Result<TaskOutputs, Refusal> {
    let request = WatchRequest {
        task: task.clone(),
        subject: subject.clone(),
        public_url: String::new(),
        label: None,
        purpose: WatchPurpose::ReadOutputs,
    };
    let name = watcher_name(&settings.tenant, &request);
    let limit = Duration::from_millis(settings.upstream_timeout_ms.into()) + READ_GRACE;
    match ask_object(env, WATCHER_BINDING, &name, &request, limit).await {
        Some(OutputsReport::Outputs(outputs)) => Ok(outputs),
        Some(OutputsReport::Refused(refusal)) => Err(refusal),
        None => Err(Refusal::from(Reason::WatcherFailed)),
    }
}

fn watcher_name(tenant: &str, request: &WatchRequest) -> String {
    let task = &request.task;
    request
        .subject
        .hash_with(&[tenant, task.group.name(), &task.id])
}
