use mediagate_ids::{Origin, TaskName, TaskRef};
use mediagate_platform::date;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResultPlace {
    /// The task's key. In a shared ledger, the name of the subject's ledger is before it.
    pub task: String,
    /// The position of the output in the task's list, from 0.
    pub position: u32,
}

impl ResultPlace {
    pub fn new(task: &TaskName, position: u32) -> Self {
        let task = ResultPlace::task_key(task);
        ResultPlace { task, position }
    }

    pub fn task_key(task: &TaskName) -> String {
        task.key().join(" ")
    }

    /// `ledger` is the name of the subject's ledger.
    pub(super) fn within(&self, ledger: &str) -> Self {
        ResultPlace {
            task: [ledger, " ", &self.task].concat(),
            position: self.position,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ResultState {
    Moving,
    Kept(KeptResult),
    /// The result is not kept. A later attempt may keep it. The reason is a stable word.
    Lost {
        reason: String,
    },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptResult {
    /// In bytes.
    pub size: u64,
    /// A media type that is safe to serve.
    pub content_type: String,
    /// The media type that its server stated, if that is not safe to serve. An input must have its
    /// own type, so that a page does not become one as a file of an unknown type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unsafe_type: Option<String>,
    pub file_name: String,
    /// In milliseconds since 1970.
    pub expires_at: i64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ResultSource {
    /// The title, or the capability.
    pub title: String,
    /// In milliseconds since 1970.
    pub created_at: i64,
    pub origin: Option<Origin>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TaskResults {
    pub states: Vec<(u32, ResultState)>,
    /// `None` if the history has no entry of the task.
    pub source: Option<ResultSource>,
}

impl TaskResults {
    pub fn state(&self, position: u32) -> Option<&ResultState> {
        let known = self.states.iter().find(|(other, _)| *other == position);
        known.map(|(_, state)| state)
    }

    /// Returns true if outputs without a stored state should be kept: the history has the task, and
    /// its results would not be expired.
    pub fn are_wanted(&self, lasts_ms: i64, now: i64) -> bool {
        let source = self.source.as_ref();
        source.is_some_and(|source| source.created_at + lasts_ms > now)
    }

    /// Returns the task with its origin, which the status path may need.
    pub fn task(&self, task: &TaskName) -> TaskName {
        match task {
            TaskName::Upstream(task) => TaskName::Upstream(TaskRef {
                origin: self
                    .source
                    .as_ref()
                    .and_then(|source| source.origin.clone()),
                ..task.clone()
            }),
            TaskName::Entry(entry) => TaskName::Entry(*entry),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ResultReservation {
    Reserved,
    Unwanted,
    /// The limit of bytes of the subject, or of all anonymous callers, is reached.
    Full,
}

/// Writes the states of results into the record of their task, which must already have the
/// gateway's addresses.
pub fn write_results(task: &mut Value, results: &[(u32, ResultState)]) {
    let Some(outputs) = task.get_mut("outputs").and_then(Value::as_array_mut) else {
        // A task without outputs has no results to describe.
        return;
    };
    for (position, state) in results {
        let output = outputs.get_mut(*position as usize);
        // Only an output with an address of the gateway has the member `kept`.
        let Some(output) = output.filter(|output| output["kept"].is_boolean()) else {
            continue;
        };
        match state {
            ResultState::Moving => {}
            ResultState::Kept(kept) => {
                output["kept"] = json!(true);
                output["size"] = json!(kept.size);
                output["content_type"] = json!(kept.content_type);
                output["file_name"] = json!(kept.file_name);
                output["expires_at"] = json!(date(kept.expires_at as f64));
            }
            ResultState::Lost { reason } => output["not_kept"] = json!(reason),
        }
    }
}
