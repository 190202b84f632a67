//! Sends requests to watchers.

use mediagate_core::Group;
use serde::{Deserialize, Serialize};
use web_sys::Response;
use worker::Env;

use super::StreamRequest;
use crate::crypto::hash;
use crate::identity::Subject;
use crate::ids::{Origin, TaskRef};
use crate::platform::fetch_object;

/// The name of the binding to the watchers.
pub(crate) const WATCHER_BINDING: &str = "WATCHER";

/// A request to the watcher of a task.
#[derive(Serialize, Deserialize)]
pub(crate) struct WatchRequest {
    /// The task's group.
    pub(crate) group: Group,
    /// The upstream's id of the task.
    pub(crate) task: String,
    /// Where it came from.
    #[serde(default)]
    pub(crate) origin: Option<Origin>,
    /// The task's owner, for whom ids are sealed.
    pub(crate) subject: Subject,
    pub(crate) purpose: WatchPurpose,
}

impl WatchRequest {
    pub(crate) fn new(task: TaskRef, subject: Subject, purpose: WatchPurpose) -> Self {
        let TaskRef { group, id, origin } = task;
        WatchRequest { group, task: id, origin, subject, purpose }
    }
}

/// Why a task is watched.
#[derive(Serialize, Deserialize)]
pub(crate) enum WatchPurpose {
    /// To stream its updates.
    Subscribe(StreamRequest),
    /// To poll it to its end without a subscriber: its slot is freed, and the app's backend notified.
    WatchToEnd,
}

/// Sends a request to the watcher of a task; `None` where it can't be reached or fails.
pub(crate) async fn send_to_watcher(env: &Env, tenant: &str, request: &WatchRequest) -> Option<Response> {
    let Subject { source, issuer, name } = &request.subject;
    let watcher = hash(&[tenant, request.group.name(), &request.task, source, issuer, name]);
    fetch_object(env, WATCHER_BINDING, &watcher, request).await
}
