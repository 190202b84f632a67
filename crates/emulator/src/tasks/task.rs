use std::{
    sync::{
        OnceLock,
        atomic::{AtomicBool, AtomicU32, Ordering::Relaxed},
    },
    time::Duration,
};

use jiff::Timestamp;
use mediagate_core::{Code, EXPIRED, FAILED, SUCCEEDED};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{id::TaskId, output::TaskResult};
use crate::{command::CreateCommand, faults::Directive};

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct TaskRequest {
    pub(super) id: TaskId,
    pub(crate) capability: String,
    model_id: String,
    title: Option<String>,
    pub(crate) credits: u64,
    created_at: Timestamp,
    /// The shortest duration of the task.
    #[serde(rename = "lasts")]
    duration: Duration,
    #[serde(rename = "wishes")]
    directive: String,
    pub(crate) input: Map<String, Value>,
}

/// The record of a task on disk. It owns its parts if it was read, and borrows them to be written.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct TaskRecord<Request, Result> {
    #[serde(rename = "beginning")]
    pub(super) request: Request,
    #[serde(rename = "outcome")]
    pub(super) result: Option<Result>,
}

pub(crate) struct Task {
    pub(crate) request: TaskRequest,
    pub(super) result: OnceLock<TaskResult>,
    /// True once the task has expired and its results were removed.
    pub(super) expired: AtomicBool,
    poll_count: AtomicU32,
    /// The failure or behaviour that the create requested.
    pub(crate) directive: Directive,
}

/// The part of a task's duration that it is queued.
const QUEUED_FRACTION: f64 = 0.15;

/// The progress at the end of a task's duration, if the work is not done by then. After that, the
/// progress approaches 1 and stays below.
const DURATION_PROGRESS: f64 = 0.95;

impl Task {
    /// Returns a task that starts now. It takes `duration`, or as long as its work if that is
    /// longer. A directive may set another duration and a numeric id.
    pub(crate) fn new(command: &CreateCommand, directive: Directive, duration: Duration) -> Self {
        let request = TaskRequest {
            id: TaskId::new(directive.numeric_id),
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

    /// Returns true if the task has no result, and no directive ends it without a result.
    pub(crate) fn needs_work(&self) -> bool {
        self.result.get().is_none() && self.directive_end().is_none()
    }

    /// Returns the terminal state other than success that the directive requests.
    fn directive_end(&self) -> Option<&'static str> {
        [FAILED, EXPIRED]
            .into_iter()
            .find(|state| self.directive.state.as_deref() == Some(state))
    }

    /// Returns the seconds since the creation.
    fn age(&self) -> f64 {
        Timestamp::now()
            .duration_since(self.request.created_at)
            .as_secs_f64()
            .max(0.0) // the clock may have been set back
    }

    /// Returns true if the task's duration was over at least `after` ago.
    pub(super) fn ended_before(&self, after: Duration) -> bool {
        self.age() >= (self.request.duration.saturating_add(after)).as_secs_f64()
    }

    /// Returns the current record of the task (§3), and counts as a poll. The record is `{id,
    /// status, progress, capability, model_id, title, credits, created_at}`. At the end it also has
    /// `output_url`, `outputs` and `emulated`, or `asset_id`, or `error`. URLs are below
    /// `base_url`.
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
                set_error(&mut record, EXPIRED, "the task's time is over")
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

    /// Returns the fraction of the duration that has passed. It exceeds 1 if the work takes longer.
    /// With the directive `out-of-order`, every second poll returns half of it.
    fn elapsed_fraction(&self, duration: f64) -> f64 {
        // The duration may be 0.
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
                record["status"] = json!(SUCCEEDED);
                record["progress"] = json!(1.0);
                if self.directive.asset {
                    record["asset_id"] = json!("avatar_owned");
                } else {
                    // The notes are also beside the outputs: a gateway may drop members of an
                    // output that the upstream document does not have.
                    let notes: Vec<_> = outputs.iter().map(|output| &output.note).collect();
                    let outputs: Vec<Value> = outputs
                        .iter()
                        .map(|output| output.record(base_url))
                        .collect();
                    record["output_url"] = outputs
                        .first()
                        .map_or(Value::Null, |output| output["url"].clone());
                    record["outputs"] = outputs.into();
                    record["emulated"] = json!({ "notes": notes });
                }
            }
            Err(failure) => {
                set_error(record, FAILED, &failure.message);
                if failure.is_of_input {
                    record["error"]["input_code"] = json!(Code::INVALID_INPUT.0);
                }
            }
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

/// Returns the progress of a running task. `elapsed` is the fraction of the duration that has
/// passed.
fn running_progress(elapsed: f64) -> f64 {
    if elapsed <= DURATION_PROGRESS {
        return (elapsed * 100.0).round() / 100.0;
    }
    // Each doubling of the time halves the distance to 1, so the progress keeps moving and never
    // reaches 1.
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
