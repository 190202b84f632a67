//! Sends requests to watchers.

use std::time::Duration;

use mediagate_core::Reason;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use web_sys::Response;
use worker::Env;

use super::{OutputsReport, StreamRequest, TaskOutputs, unanswered};
use crate::identity::Subject;
use crate::ids::{EntryRef, TaskRef};
use crate::platform::{ObjectError, Priority, ask_object, fetch_object};
use crate::refusal::Refusal;
use crate::settings::Settings;

pub(crate) const WATCHER_BINDING: &str = "WATCHER";

#[derive(Clone, Serialize, Deserialize)]
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

#[derive(Clone, Serialize, Deserialize)]
pub(crate) enum WatchPurpose {
    /// To stream the task's updates.
    Subscribe(StreamRequest),
    /// To poll the task to its end without a subscriber. At the end, its slot is freed and the
    /// app's backend is notified.
    WatchToEnd,
    /// To notify the app's backend of a create that had ended in its response, which `task` names
    /// without being a task of the upstream.
    Notify {
        entry: EntryRef,
        /// The result that the ledger keeps, as `data` of a response.
        result: Value,
    },
    /// To read the task's outputs now, without watching it. The response is an [`OutputsReport`].
    ReadOutputs,
}

/// The time that a read of a task may take in addition to the upstream's deadline. The watcher may
/// have to wait for its turn.
const READ_GRACE: Duration = Duration::from_secs(10);

impl WatchPurpose {
    fn priority(&self) -> Priority {
        match self {
            // Both a client's stream and a pipeline's hold the object while the task runs.
            WatchPurpose::Subscribe(_) => Priority::Stream,
            WatchPurpose::ReadOutputs => Priority::Other,
            WatchPurpose::WatchToEnd | WatchPurpose::Notify { .. } => Priority::FollowUp,
        }
    }
}

/// Sends a request to the watcher of a task.
///
/// # Errors
/// The reason why the watcher did not respond.
pub(crate) async fn send_to_watcher(
    env: &Env,
    settings: &Settings,
    mut request: WatchRequest,
) -> Result<Response, ObjectError> {
    if let Some(public_url) = &settings.public_url {
        // A pipeline may have started before the operator set the address.
        request.public_url.clone_from(public_url);
    }
    let name = watcher_name(settings, &request);
    let priority = request.purpose.priority();
    fetch_object(env, WATCHER_BINDING, &name, &request, priority).await
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
    let name = watcher_name(settings, &request);
    let limit = Duration::from_millis(settings.read_timeout_ms.into()) + READ_GRACE;
    let priority = request.purpose.priority();
    match ask_object(env, WATCHER_BINDING, &name, &request, priority, limit).await {
        Ok(OutputsReport::Outputs(outputs)) => Ok(outputs),
        Ok(OutputsReport::Refused(refusal)) => Err(refusal),
        Err(error) => Err(unanswered(error, Reason::WatcherFailed)),
    }
}

/// Returns the name of a task's watcher. If the operator sets no address of the gateway, a task has
/// a watcher for each address that requests were sent to: each of them chooses the host of the URLs
/// that it gets, and must not choose it for others.
fn watcher_name(settings: &Settings, request: &WatchRequest) -> String {
    let task = &request.task;
    let mut parts = vec![settings.tenant.as_str(), task.group.name(), &task.id];
    if settings.public_url.is_none() && !request.public_url.is_empty() {
        parts.push(&request.public_url);
    }
    request.subject.hash_with(&parts)
}

#[cfg(test)]
mod tests {
    use mediagate_core::Group;

    use super::*;

    fn name(settings: &Settings, public_url: &str) -> String {
        let request = WatchRequest {
            task: TaskRef::new(Group::Generate, "job-1"),
            subject: Subject::default(),
            public_url: public_url.to_owned(),
            label: None,
            purpose: WatchPurpose::WatchToEnd,
        };
        watcher_name(settings, &request)
    }

    #[test]
    fn no_caller_chooses_the_host_of_urls_that_others_get() {
        let [one, other] = ["https://media.example.com", "https://evil.example"];
        let unset = Settings::for_tests(&[]);
        assert_eq!(name(&unset, one), name(&unset, one));
        assert_ne!(name(&unset, one), name(&unset, other));
        let set = Settings::for_tests(&[("PUBLIC_URL", one)]);
        assert_eq!(name(&set, one), name(&set, other));
        // Reads of outputs have no address.
        assert_eq!(name(&set, one), name(&unset, ""));
    }
}
