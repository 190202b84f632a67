//! Names of tasks among those of a subject.

use serde::{Deserialize, Serialize};

use super::{EntryRef, TaskRef};

/// A task of a subject, by what its entry in the history is found by.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum TaskName {
    /// A task of the upstream's, by its id there.
    Upstream(TaskRef),
    /// A result that came without a task, or a create whose response was lost.
    Entry(EntryRef),
}

impl TaskName {
    /// Returns what distinguishes the task from the subject's others: its group, or `entry`, and
    /// its id.
    pub(crate) fn key(&self) -> [String; 2] {
        match self {
            TaskName::Upstream(task) => [task.group.name().to_owned(), task.id.clone()],
            TaskName::Entry(entry) => [
                "entry".to_owned(),
                format!("{}.{}", entry.number, entry.created_at),
            ],
        }
    }
}
