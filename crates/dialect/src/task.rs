//! Where a task record is, and its members (§2).

use serde::{Deserialize, Serialize};

use super::pointers::Pointers;

/// Where a response has its task record, and where the record has its members. The record's place counts from the
/// response's outermost object; a member's from the record and, where it is not there, from each object around the record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TaskDialect {
    /// The record.
    pub record: Pointers,
    /// Its id.
    pub id: Pointers,
    /// Its state, a word or a number. Where several places have one, a final state counts first.
    pub state: Pointers,
    /// Its progress.
    pub progress: Pointers,
    /// The progress of a task that is complete, such as 100. Without it, a number up to 1 is a fraction, and one up to 100
    /// a percentage.
    pub progress_complete: Option<f64>,
    /// Why it failed, in words. Read only from a record whose state is `FAILED` or `EXPIRED`.
    pub error_message: Pointers,
    /// Why it failed, as a number or a name. Read only from the record itself.
    pub error_code: Pointers,
    /// Output URLs that have other names than results usually have: a URL, or a list of URLs or of objects with one. What
    /// else is found by its name counts too.
    pub outputs: Pointers,
    /// Names of members whose URLs and ids are no outputs, besides those that never are, such as `thumbnail` and
    /// `status_url`.
    pub not_outputs: Vec<String>,
}

impl Default for TaskDialect {
    fn default() -> Self {
        TaskDialect {
            record: Pointers::of(&[
                "/data/task",
                "/data/tasks/0",
                "/data/job",
                "/data",
                "/data/0",
                "/Data/task",
                "/Data",
                "/task",
                "/job",
                "",
            ]),
            id: Pointers::of(&["/id", "/task_id", "/taskId", "/job_id", "/jobId", "/uuid"]),
            state: Pointers::of(&[
                "/status",
                "/state",
                "/task_status",
                "/taskStatus",
                "/task_state",
                "/taskState",
                "/job_status",
                "/jobStatus",
                "/status/state",
                "/status/name",
                "/state/name",
            ]),
            progress: Pointers::of(&[
                "/progress",
                "/percent",
                "/percentage",
                "/progress/percent",
                "/progress/percentage",
                "/progress/value",
                "/progress_percent",
                "/progressPercent",
            ]),
            progress_complete: None,
            error_message: Pointers::of(&[
                "/error/message",
                "/error/detail",
                "/error/reason",
                "/error",
                "/error_message",
                "/errorMessage",
                "/error_msg",
                "/errorMsg",
                "/failure_reason",
                "/failureReason",
                "/fail_reason",
                "/failReason",
                "/failed_reason",
                "/failedReason",
                "/failure/message",
                "/failure/reason",
                "/failure",
                "/reason",
                "/message",
                "/msg",
                "/detail",
            ]),
            error_code: Pointers::of(&[
                "/error/code",
                "/error_code",
                "/errorCode",
                "/failure/code",
                "/failure_code",
                "/failureCode",
                "/fail_code",
                "/failCode",
                "/code",
            ]),
            outputs: Pointers::of(&[]),
            not_outputs: Vec::new(),
        }
    }
}
