//! The places of a task record and of its members (§2).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::pointers::Pointers;

/// The places of a task record in a response, and of the members in the record.
///
/// The record's place is relative to the response's outermost object. A member's place is relative
/// to the record or, if the record lacks the member, to each object around the record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TaskDialect {
    /// The record.
    pub record: Pointers,
    /// The id.
    pub id: Pointers,
    /// The state, a word, a number or a boolean. A failure has precedence over an unknown word, and
    /// an unknown word over a success.
    pub state: Pointers,
    /// The progress.
    pub progress: Pointers,
    /// The progress of a complete task, such as 100. Without it, a number up to 1 is a fraction,
    /// and a number up to 100 is a percentage.
    pub progress_complete: Option<f64>,
    /// The reason of a failure, in words. Read only if the state is `FAILED` or `EXPIRED`.
    pub error_message: Pointers,
    /// The reason of a failure, as a number or a name. Read only from the record itself.
    pub error_code: Pointers,
    /// Output URLs with unusual names: a URL, or a list of URLs or of objects with a URL. They come
    /// before the outputs at the names of [`output_names`](crate::output_names).
    pub outputs: Pointers,
    /// Names of members that have no outputs, although the default list has them.
    pub not_outputs: Vec<String>,
    /// Codes with a meaning for the task whose status was requested, as texts, such as `"1404"`.
    pub codes: BTreeMap<String, CodeMeaning>,
}

/// The meaning of a code in the response to a request for a task's status.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum CodeMeaning {
    /// The task has failed.
    Failed,
    /// The task has expired.
    Expired,
    /// The service does not know the task any more.
    Gone,
}

pub(crate) const STATE_PLACES: [&str; 8] = [
    "/status",
    "/state",
    "/task_status",
    "/task_state",
    "/job_status",
    "/status/state",
    "/status/name",
    "/state/name",
];

impl Default for TaskDialect {
    fn default() -> Self {
        TaskDialect {
            // The first place with a task counts, so precise places come before general ones.
            record: Pointers::of(&[
                "/data/task",
                "/data/tasks/0",
                "/data/job",
                "/data",
                "/data/0",
                "/task",
                "/job",
                "",
            ]),
            id: Pointers::of(&["/id", "/task_id", "/job_id", "/uuid"]),
            state: Pointers::of(&STATE_PLACES),
            progress: Pointers::of(&[
                "/progress",
                "/percent",
                "/percentage",
                "/progress/percent",
                "/progress/percentage",
                "/progress/value",
                "/progress_percent",
            ]),
            progress_complete: None,
            error_message: Pointers::of(&[
                "/error/message",
                "/error/detail",
                "/error/reason",
                "/error",
                "/error_message",
                "/error_msg",
                "/failure_reason",
                "/fail_reason",
                "/failed_reason",
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
                "/failure/code",
                "/failure_code",
                "/fail_code",
                "/code",
            ]),
            outputs: Pointers::default(),
            not_outputs: Vec::new(),
            codes: BTreeMap::new(),
        }
    }
}
