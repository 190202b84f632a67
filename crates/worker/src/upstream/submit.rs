//! Submits a create to the upstream, once.

use mediagate_core::{Capability, Expects, Outcome, PREFIX};
use serde_json::{Value, json};

use super::record::normalise_result;
use super::response::Success;
use super::{CreateOutcome, TaskRecord, UpstreamClient};
use crate::ids::{Origin, TaskRef, path_segment};
use crate::platform::timestamp_ms;
use crate::refusal::Refusal;

/// Longest id of a task, as a segment of a path.
const MAX_ID_LEN: usize = 2048;

/// A create that was submitted, or refused before it could be.
pub(crate) struct Submission {
    pub(crate) outcome: CreateOutcome,
    /// Whether the upstream may have charged for it.
    pub(crate) may_be_charged: bool,
    /// The task, where the upstream created one.
    pub(crate) task: Option<TaskRef>,
    /// Whether a task may be running: one that is known, or one that the upstream created without a readable response.
    pub(crate) is_running: bool,
}

impl Submission {
    /// A create that failed.
    pub(crate) fn refused(refusal: Refusal, outcome: Outcome) -> Self {
        let is_unknown = outcome == Outcome::Unknown;
        let outcome = CreateOutcome::refused(refusal, outcome);
        Submission { outcome, may_be_charged: is_unknown, task: None, is_running: is_unknown }
    }

    fn accepted(data: Value, task: Option<TaskRef>, is_running: bool) -> Self {
        let outcome = CreateOutcome::created(data, timestamp_ms());
        Submission { outcome, may_be_charged: true, task, is_running }
    }
}

impl UpstreamClient<'_> {
    /// Submits a create. `body` is the JSON for the upstream.
    pub(crate) async fn submit(&self, capability: &Capability, body: &str) -> Submission {
        let path = [PREFIX, capability.path].concat();
        let response = match self.request("POST", &path, Some(body)).await {
            Ok(response) => response,
            Err(refusal) => return Submission::refused(refusal, Outcome::NotSent),
        };
        let expects = if capability.may_omit_task { Expects::TaskOrResult } else { Expects::Task };
        let retry_after = response.retry_after;
        match response.decode(&self.upstream.settings.dialect, expects, None) {
            Ok(Success::Task(record)) => self.accepted_task(capability, body, record),
            Ok(Success::Data(data)) => {
                let mut data = json!({ "result": normalise_result(data) });
                self.seal(&mut data, None);
                Submission::accepted(data, None, false)
            }
            Err(failure) => {
                let (refusal, outcome) = self.refusal(failure, retry_after);
                Submission::refused(refusal, outcome)
            }
        }
    }

    fn accepted_task(&self, capability: &Capability, body: &str, record: TaskRecord) -> Submission {
        let TaskRecord { mut data, id, is_terminal } = record;
        // The task exists, but no path could name it.
        if path_segment(&id).is_none_or(|it| it.len() > MAX_ID_LEN) {
            return Submission::refused(Refusal::unreadable("unusable_id"), Outcome::Unknown);
        }
        let body = serde_json::from_str(body).unwrap_or_default();
        let origin = Some(Origin::new(capability, &body, timestamp_ms()));
        let task = TaskRef { group: capability.group(), id, origin };
        self.seal(&mut data, Some(&task));
        Submission::accepted(data, Some(task), !is_terminal)
    }
}
