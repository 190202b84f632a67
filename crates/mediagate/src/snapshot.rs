//! What is known of a task at one time.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::client;
use crate::value::Value;

/// The state of a task at one time (§3 of the upstream document).
#[derive(Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct TaskSnapshot {
    /// The id of the task, valid for the same user; empty for a result that came without a task, which is already done.
    pub id: String,
    /// The name of the capability that it was created with, such as `image_to_video`.
    pub capability: String,
    /// Its state: `SUCCEEDED`, `FAILED` and `EXPIRED` are last ones, and any other means that it goes on. `None` where the
    /// record has none, and for a restored task before its first record.
    pub state: Option<String>,
    /// Its progress from 0 to 1; `None` where the record has none.
    pub progress: Option<f64>,
    /// The time that it is likely to run on, from when this snapshot came; `None` where nothing is known of it.
    pub eta: Option<Eta>,
    /// Its results; empty until there are some.
    pub outputs: Vec<Output>,
    /// The whole record, as the gateway sent it; `null` before the first one.
    pub raw: Json,
}

impl TaskSnapshot {
    /// Whether the task has succeeded.
    pub fn has_succeeded(&self) -> bool {
        self.state.as_deref() == Some("SUCCEEDED")
    }

    /// Whether the task is in a last state.
    pub fn has_ended(&self) -> bool {
        self.state
            .as_deref()
            .is_some_and(|it| mediagate_core::TERMINAL.contains(&it))
    }
}

/// Without the record, which may repeat what the task was created with.
impl fmt::Debug for TaskSnapshot {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("TaskSnapshot")
            .field("id", &self.id)
            .field("capability", &self.capability)
            .field("state", &self.state)
            .field("progress", &self.progress)
            .field("eta", &self.eta)
            .field("outputs", &self.outputs.len())
            .finish_non_exhaustive()
    }
}

/// The seconds that a task is likely to run on: an estimate of the gateway's, from tasks that have ended.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Eta {
    /// It is as likely to take longer as shorter.
    pub seconds: f64,
    /// Of ten such tasks, nine take longer.
    pub low: f64,
    /// Of ten such tasks, nine have ended by then.
    pub high: f64,
}

/// One thing that a task produced (§3).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Output {
    /// Where to download it; `None` where the record has only an asset's id. Such a URL may expire: download the file, or
    /// poll the task again.
    pub url: Option<String>,
    /// The id of a reusable asset, for fields such as `avatar_asset_id`.
    pub asset_id: Option<String>,
    /// `image`, `video`, `audio` or `pdf`; `None` where that is unknown.
    pub kind: Option<String>,
    /// The id of its task. By this and its position it can be an input; empty where the task has no id.
    pub task_id: String,
    /// Its position in the task's outputs, from 0.
    pub output: usize,
}

impl From<&client::Snapshot<Value>> for TaskSnapshot {
    fn from(snapshot: &client::Snapshot<Value>) -> Self {
        let raw = snapshot.raw.as_ref().map_or(Json::Null, Json::from);
        let id = snapshot.id.clone().unwrap_or_default();
        TaskSnapshot {
            outputs: outputs(&raw, &id),
            id,
            capability: snapshot.capability.map_or("", |it| it.name()).to_owned(),
            state: snapshot.state.clone(),
            progress: snapshot.progress,
            eta: raw
                .get("eta")
                .and_then(|it| serde_json::from_value(it.clone()).ok()),
            raw,
        }
    }
}

/// Returns the outputs of a task's record or of its entry in the history, each with its place. One of a form that is not known
/// is left out.
pub(crate) fn outputs(record: &Json, task_id: &str) -> Vec<Output> {
    let items = record.get("outputs").and_then(Json::as_array);
    let output = |(position, it): (usize, &Json)| {
        let output: Output = serde_json::from_value(it.clone()).ok()?;
        Some(Output {
            task_id: task_id.to_owned(),
            output: position,
            ..output
        })
    };
    items
        .into_iter()
        .flatten()
        .enumerate()
        .filter_map(output)
        .collect()
}
