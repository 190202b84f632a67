use std::time::Duration;

use mediagate_access::identity::Subject;
use mediagate_access::refusal::Refusal;
use mediagate_core::Reason;
use mediagate_ids::{EntryRef, TaskRef};
use mediagate_platform::ObjectError;
use mediagate_settings::Settings;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use web_sys::Response;
use worker::Env;

use crate::request::{ask, open, requests};
use crate::{StreamRequest, TaskOutputs, unanswered};

requests! {
    enum WatcherMessage to "WATCHER" {
        WatchToEnd -> (), FollowUp;
        Notify -> (), FollowUp;
        ReadOutputs -> Result<TaskOutputs, Refusal>, Other;
    }
    streams {
        // Both a client's stream and a pipeline's hold the object while the task runs.
        Subscribe, Stream;
    }
}

#[derive(Clone, Serialize, Deserialize)]
pub struct WatchedTask {
    pub task: TaskRef,
    pub subject: Subject,
    /// The gateway's URL without a slash at its end, for the URLs of media in the record. Empty if
    /// no caller sees them.
    pub public_url: String,
    /// The text for the names of the task's files. `None` if the create has none.
    pub label: Option<String>,
}

#[derive(Serialize, Deserialize)]
pub struct Subscribe {
    pub watched: WatchedTask,
    pub stream: StreamRequest,
}

/// Polls the task to its end without a subscriber. At the end, its slot is freed and the app's
/// backend is notified.
#[derive(Clone, Serialize, Deserialize)]
pub struct WatchToEnd {
    pub watched: WatchedTask,
}

/// Notifies the app's backend of a create that had ended in its response. The task names it without
/// being a task of the upstream.
#[derive(Clone, Serialize, Deserialize)]
pub struct Notify {
    pub watched: WatchedTask,
    pub entry: EntryRef,
    /// The result that the ledger keeps, as `data` of a response.
    pub result: Value,
}

/// Reads the task's outputs now, without watching it.
#[derive(Serialize, Deserialize)]
pub struct ReadOutputs {
    pub watched: WatchedTask,
}

impl WatcherMessage {
    pub fn watched(&self) -> &WatchedTask {
        match self {
            WatcherMessage::Subscribe(Subscribe { watched, .. })
            | WatcherMessage::WatchToEnd(WatchToEnd { watched })
            | WatcherMessage::Notify(Notify { watched, .. })
            | WatcherMessage::ReadOutputs(ReadOutputs { watched }) => watched,
        }
    }
}

impl WatchedTask {
    /// Sets the gateway's URL that the operator has set. A pipeline may have started before that.
    fn at(mut self, settings: &Settings) -> Self {
        if let Some(public_url) = &settings.public_url {
            self.public_url.clone_from(public_url);
        }
        self
    }
}

/// The deadline of a request that the watcher only stores.
const DEADLINE: Duration = Duration::from_secs(20);

/// The time that a read may take in addition to the upstream's deadline. The watcher may have to
/// wait for its turn.
const READ_GRACE: Duration = Duration::from_secs(10);

/// Opens a stream of a task's updates. The error is the reason why the watcher did not respond.
pub async fn subscribe_to_task(
    env: &Env,
    settings: &Settings,
    watched: WatchedTask,
    stream: StreamRequest,
) -> Result<Response, ObjectError> {
    let watched = watched.at(settings);
    let name = watcher_name(settings, &watched);
    open(env, &name, Subscribe { watched, stream }).await
}

/// Requests that a task is polled to its end. The error is the reason why the watcher did not
/// respond.
pub async fn watch_to_end(
    env: &Env,
    settings: &Settings,
    watched: WatchedTask,
) -> Result<(), ObjectError> {
    let watched = watched.at(settings);
    let name = watcher_name(settings, &watched);
    ask(env, &name, WatchToEnd { watched }, DEADLINE).await
}

/// Requests that the app's backend is notified of a create that had ended in its response, with
/// this result. The error is the reason why the watcher did not respond.
pub async fn notify_of_result(
    env: &Env,
    settings: &Settings,
    watched: WatchedTask,
    entry: EntryRef,
    result: Value,
) -> Result<(), ObjectError> {
    let watched = watched.at(settings);
    let name = watcher_name(settings, &watched);
    let request = Notify {
        watched,
        entry,
        result,
    };
    ask(env, &name, request, DEADLINE).await
}

/// Reads the outputs of a task of the upstream. 404 if the upstream has no such task; 500 if the
/// watcher does not respond; also the upstream's error as a refusal.
pub async fn read_outputs(
    env: &Env,
    settings: &Settings,
    subject: &Subject,
    task: &TaskRef,
) -> Result<TaskOutputs, Refusal> {
    let watched = WatchedTask {
        task: task.clone(),
        subject: subject.clone(),
        public_url: String::new(),
        label: None,
    };
    let name = watcher_name(settings, &watched);
    let limit = Duration::from_millis(settings.read_timeout_ms.into()) + READ_GRACE;
    ask(env, &name, ReadOutputs { watched }, limit)
        .await
        .map_err(|error| unanswered(error, Reason::WatcherFailed))?
}

/// Returns the name of a task's watcher. If the operator sets no address of the gateway, a task has
/// a watcher for each address that requests were sent to: each of them chooses the host of the URLs
/// that it gets, and must not choose it for others.
fn watcher_name(settings: &Settings, watched: &WatchedTask) -> String {
    let task = &watched.task;
    let mut parts = vec![settings.tenant.as_str(), task.group.name(), &task.id];
    if settings.public_url.is_none() && !watched.public_url.is_empty() {
        parts.push(&watched.public_url);
    }
    watched.subject.hash_with(&parts)
}

#[cfg(test)]
mod tests {
    use mediagate_core::Group;

    use super::*;

    fn name(settings: &Settings, public_url: &str) -> String {
        let watched = WatchedTask {
            task: TaskRef::new(Group::Generate, "job-1"),
            subject: Subject::default(),
            public_url: public_url.to_owned(),
            label: None,
        };
        watcher_name(settings, &watched)
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
