//! One task.

use std::{
    sync::{
        OnceLock,
        atomic::{AtomicBool, AtomicU32, Ordering::Relaxed},
    },
    time::Duration,
};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{
    id::TaskId,
    output::{Output, TaskResult},
};
use crate::{command::CreateCommand, faults::Directive};

/// What is known of a task from its creation.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct TaskRequest {
    pub(super) id: TaskId,
    /// The capability's name.
    pub(crate) capability: String,
    model_id: String,
    title: Option<String>,
    /// The price in credits.
    pub(crate) credits: u64,
    created_at: Timestamp,
    /// How long the task takes at least.
    #[serde(rename = "lasts")]
    duration: Duration,
    /// The words of the directive.
    #[serde(rename = "wishes")]
    directive: String,
    /// The body of the request.
    pub(crate) input: Map<String, Value>,
}

/// A task's record on disk. The type parameters let it own or borrow its parts.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct TaskRecord<Request, Result> {
    #[serde(rename = "beginning")]
    pub(super) request: Request,
    #[serde(rename = "outcome")]
    pub(super) result: Option<Result>,
}

/// One task.
pub(crate) struct Task {
    pub(crate) request: TaskRequest,
    pub(super) result: OnceLock<TaskResult>,
    /// Whether it has expired and its results were removed.
    pub(super) expired: AtomicBool,
    poll_count: AtomicU32,
    /// How the task is to fail or behave.
    pub(crate) directive: Directive,
}

/// The part of its duration that a task is queued.
const QUEUED_FRACTION: f64 = 0.15;

/// The progress of a task at the end of its duration, if its work is not done by then. From there on it comes closer to 1,
/// and stays below.
const DURATION_PROGRESS: f64 = 0.95;

impl Task {
    /// A task that starts now and takes `duration`, or as long as its work does. A directive may set another duration
    /// and a numeric id.
    pub(crate) fn new(
        command: &CreateCommand,
        directive: Directive,
        duration: Duration,
        numeric_id: bool,
    ) -> Self {
        let request = TaskRequest {
            id: TaskId::new(numeric_id || directive.numeric_id),
            capability: command.capability.name().into(),
            model_id: command.model.id.clone(),
            title: command.text("title").map(Into::into),
            credits: command.credits,
            created_at: Timestamp::now(),
            duration: directive.seconds.unwrap_or(duration),
            directive: directive.words.clone(),
            input: command.input.clone(),
        };
        Task::from(TaskRecord {
            request,
            result: None,
        })
    }

    /// Whether its work has to be done: it has no result, and no directive ends it without one.
    pub(crate) fn needs_work(&self) -> bool {
        self.result.get().is_none() && self.directive_end().is_none()
    }

    /// The terminal state other than success that the directive requests.
    fn directive_end(&self) -> Option<&'static str> {
        ["FAILED", "EXPIRED"]
            .into_iter()
            .find(|it| self.directive.state.as_deref() == Some(it))
    }

    /// Seconds since its creation.
    fn age(&self) -> f64 {
        Timestamp::now()
            .duration_since(self.request.created_at)
            .as_secs_f64()
            .max(0.0)
    }

    /// Whether its duration was over at least `after` ago.
    pub(super) fn ended_before(&self, after: Duration) -> bool {
        self.age() >= (self.request.duration.saturating_add(after)).as_secs_f64()
    }

    /// The record as it is now (§3): `{id, status, progress, capability, model_id, title, credits, created_at}` and, at
    /// the end, `output_url`, `outputs` and `emulated`, or `asset_id`, or `error`. URLs are below `base_url`. It counts as a
    /// poll.
    pub(crate) fn record(&self, base_url: &str) -> Value {
        let TaskRequest {
            id,
            capability,
            model_id,
            title,
            credits,
            created_at,
            duration,
            ..
        } = &self.request;
        let mut record = json!({
            "id": id,
            "status": "QUEUED",
            "progress": 0.0,
            "capability": capability,
            "model_id": model_id,
            "title": title,
            "credits": credits,
            "created_at": created_at.to_string(),
        });
        let elapsed = self.elapsed_fraction(duration.as_secs_f64());
        match (self.directive_end(), self.result.get()) {
            _ if self.expired.load(Relaxed) => {
                set_error(&mut record, "EXPIRED", "the task's time is over")
            }
            (Some(state), _) if elapsed >= 1.0 => set_error(&mut record, state, "ended on request"),
            (None, Some(result)) if elapsed >= 1.0 => {
                self.set_result(&mut record, result, base_url)
            }
            _ if elapsed >= QUEUED_FRACTION => {
                let state = self
                    .directive
                    .state
                    .as_deref()
                    .filter(|_| self.directive_end().is_none());
                record["status"] = json!(state.unwrap_or("RUNNING"));
                record["progress"] = json!(running_progress(elapsed));
            }
            _ => {}
        }
        record
    }

    /// The fraction of its duration that has passed, more than 1 where its work takes longer; at every second poll half of it, where the directive is
    /// `out-of-order`.
    fn elapsed_fraction(&self, duration: f64) -> f64 {
        let fraction = self.age() / duration.max(f64::MIN_POSITIVE);
        let polls = self.poll_count.fetch_add(1, Relaxed);
        if self.directive.out_of_order && polls % 2 == 1 {
            fraction.min(1.0) / 2.0
        } else {
            fraction
        }
    }

    fn set_result(&self, record: &mut Value, result: &TaskResult, base_url: &str) {
        match result {
            Ok(outputs) => {
                record["status"] = json!("SUCCEEDED");
                record["progress"] = json!(1.0);
                if self.directive.asset {
                    record["asset_id"] = json!("avatar_owned");
                } else {
                    // Beside the outputs: a gateway that passes a task on may pass only what it knows of an output.
                    let notes: Vec<_> = outputs.iter().map(|it| &it.note).collect();
                    let outputs: Vec<Value> = outputs
                        .iter()
                        .map(|it| Output::record(it, base_url))
                        .collect();
                    record["output_url"] =
                        outputs.first().map_or(Value::Null, |it| it["url"].clone());
                    record["outputs"] = outputs.into();
                    record["emulated"] = json!({ "notes": notes });
                }
            }
            Err(message) => set_error(record, "FAILED", message),
        }
    }
}

impl From<TaskRecord<TaskRequest, TaskResult>> for Task {
    fn from(TaskRecord { request, result }: TaskRecord<TaskRequest, TaskResult>) -> Self {
        // The words were parsed once before they were written, so they are valid.
        let directive = Directive::from_words(&request.directive).unwrap_or_default();
        let result = result.map_or_else(OnceLock::new, OnceLock::from);
        Task {
            request,
            result,
            expired: AtomicBool::default(),
            poll_count: AtomicU32::default(),
            directive,
        }
    }
}

/// The progress of a task that runs, after this fraction of its duration.
fn running_progress(elapsed: f64) -> f64 {
    if elapsed <= DURATION_PROGRESS {
        return (elapsed * 100.0).round() / 100.0;
    }
    let beyond = 1.0 - (1.0 - DURATION_PROGRESS) * DURATION_PROGRESS / elapsed;
    (beyond * 10_000.0).floor().min(9_999.0) / 10_000.0
}

fn set_error(record: &mut Value, state: &str, message: &str) {
    record["status"] = json!(state);
    record["error"] = json!({ "message": message });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_moves_on_after_the_duration_and_stays_below_1() {
        let all = [0.0, 0.3, 0.95, 1.0, 2.0, 60.0, 100.0].map(running_progress);
        assert!(
            all.is_sorted_by(|one, next| one < next) && all[6] < 1.0,
            "{all:?}"
        );
        assert_eq!((all[1], all[2]), (0.3, 0.95));
        assert!(running_progress(1e9) < 1.0);
    }
}
