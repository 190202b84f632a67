use std::fmt;

use chrono::{DateTime, SecondsFormat};
use mediagate_client as client;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::value::Value;

/// The state of a task at one time (§3 of the upstream document).
#[derive(Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct TaskSnapshot {
    /// The id of the task, valid for the same user; empty for a result that came without a task,
    /// which has succeeded.
    pub id: String,
    /// The name of the capability of the task, such as `image_to_video`.
    pub capability: String,
    /// The state. `SUCCEEDED`, `FAILED` and `EXPIRED` are the last states; the task goes on in any
    /// other. `None` if the record has no state, and for a restored task before its first record.
    pub state: Option<String>,
    /// The progress from 0 to 1; `None` if the record has none.
    pub progress: Option<f64>,
    /// The time that the task is likely to run on, from the arrival of this snapshot; `None`
    /// without an estimate.
    pub eta: Option<Eta>,
    /// The date and time (RFC 3339) at which the gateway first read the present record; `None` if
    /// the record was polled. It tells a task that makes no progress from a slow one.
    pub changed_at: Option<String>,
    /// The date and time (RFC 3339) since which the media service has not answered several polls of
    /// the gateway, which goes on trying.
    pub unanswered_since: Option<String>,
    /// True if the task has not ended in the time that the gateway follows tasks. It may still run.
    pub is_unfinished: bool,
    /// The results; empty until there are some.
    pub outputs: Vec<Output>,
    /// What the media service has ignored or changed, in words for a person; usually empty.
    pub warnings: Vec<String>,
    /// The whole record, as the gateway sent it; `null` before the first one.
    pub raw: Json,
}

impl TaskSnapshot {
    /// Returns true if the task has succeeded.
    pub fn has_succeeded(&self) -> bool {
        self.state.as_deref() == Some(mediagate_core::SUCCEEDED)
    }

    /// Returns true if the task is in a last state.
    pub fn has_ended(&self) -> bool {
        self.state
            .as_deref()
            .is_some_and(|state| mediagate_core::TERMINAL.contains(&state))
    }
}

/// Omits the record, which may repeat the input of the task.
impl fmt::Debug for TaskSnapshot {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("TaskSnapshot")
            .field("id", &self.id)
            .field("capability", &self.capability)
            .field("state", &self.state)
            .field("progress", &self.progress)
            .field("eta", &self.eta)
            .field("changed_at", &self.changed_at)
            .field("unanswered_since", &self.unanswered_since)
            .field("is_unfinished", &self.is_unfinished)
            .field("outputs", &self.outputs.len())
            .field("warnings", &self.warnings.len())
            .finish_non_exhaustive()
    }
}

/// The time that a task is likely to run on, in seconds: an estimate of the gateway from tasks that
/// have ended.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Eta {
    /// The median.
    pub seconds: f64,
    /// Nine of ten such tasks take longer.
    pub low: f64,
    /// Nine of ten such tasks have ended by then.
    pub high: f64,
}

/// One result of a task (§3).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Output {
    /// The URL of the file; `None` if the record has only the id of an asset. If the gateway keeps
    /// results, it stays the same until `expires_at`. Otherwise it may expire: download the file
    /// soon, or poll the task for a new URL.
    pub url: Option<String>,
    /// True if the gateway keeps the file. While it does not, `url` leads to the media service.
    /// `None` if the gateway keeps no results.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kept: Option<bool>,
    /// The reason why the file is not kept, such as `results_full`; `None` while it is being
    /// moved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_kept: Option<String>,
    /// The size of a file that is kept, in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
    /// The media type of a file that is kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content_type: Option<String>,
    /// The name of a file that is kept, after the task's title or prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file_name: Option<String>,
    /// The time when a file that is kept is deleted, as RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
    /// The id of a reusable asset, for fields such as `avatar_asset_id`.
    pub asset_id: Option<String>,
    /// `image`, `video`, `audio` or `pdf`; `None` if it is unknown.
    pub kind: Option<String>,
    /// The id of the task; empty if the task has none. With the position, it makes the output an
    /// input of another task.
    pub task_id: String,
    /// The position in the outputs of the task, from 0.
    pub output: usize,
}

impl From<&client::Snapshot<Value>> for TaskSnapshot {
    fn from(snapshot: &client::Snapshot<Value>) -> Self {
        let raw = snapshot.raw.as_ref().map_or(Json::Null, Json::from);
        let id = snapshot.id.clone().unwrap_or_default();
        let date = |name: &str| Some(raw.get(name)?.as_str()?.to_owned());
        TaskSnapshot {
            outputs: outputs(&raw, &id),
            warnings: raw
                .get("warnings")
                .and_then(|warnings| Vec::deserialize(warnings).ok())
                .unwrap_or_default(),
            id,
            capability: snapshot
                .capability
                .map_or("", mediagate_core::Capability::name)
                .to_owned(),
            state: snapshot.state.clone(),
            progress: snapshot.progress,
            eta: raw
                .get("eta")
                .and_then(|eta| serde_json::from_value(eta.clone()).ok()),
            changed_at: date("changed_at"),
            unanswered_since: snapshot
                .unanswered_since_ms
                .and_then(date_of)
                .or_else(|| date("unanswered_since")),
            // The gateway adds the member only to the record of a task that it has given up.
            is_unfinished: raw.get("unfinished").is_some(),
            raw,
        }
    }
}

/// Returns a time in milliseconds since 1970 as a date and time (RFC 3339).
fn date_of(milliseconds: f64) -> Option<String> {
    let date = DateTime::from_timestamp_millis(milliseconds as i64)?;
    Some(date.to_rfc3339_opts(SecondsFormat::Millis, true))
}

/// Returns the outputs in the record of a task, or in its entry in the history. An output of an
/// unknown form is left out.
pub(crate) fn outputs(record: &Json, task_id: &str) -> Vec<Output> {
    let items = record.get("outputs").and_then(Json::as_array);
    let output = |(position, item): (usize, &Json)| {
        let output: Output = serde_json::from_value(item.clone()).ok()?;
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
