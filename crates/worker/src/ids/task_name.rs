//! Names of a subject's tasks.

use serde::{Deserialize, Serialize};

use super::{EntryRef, TaskRef};

/// A task of a subject, by the name that its entry in the history has.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum TaskName {
    /// A task of the upstream, by the upstream's id.
    Upstream(TaskRef),
    /// The result of a create without a task, or a create with a lost response.
    Entry(EntryRef),
}

impl TaskName {
    /// Returns a key that is unique among the subject's tasks: the group or `entry`, and the id.
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
