use mediagate_access::identity::Subject;
use mediagate_core::Group;
use mediagate_core::ids::IdKind;
use serde::{Deserialize, Serialize};

use super::{EntryRef, Sealer, TaskRef, sealed_kind};

/// The name that a task's entry in the history has.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum TaskName {
    Upstream(TaskRef),
    /// A result that the ledger keeps, or a create with a lost response.
    Entry(EntryRef),
}

impl TaskRef {
    pub fn seal(&self, sealer: &Sealer, owner: &Subject) -> String {
        let kind = sealed_kind(IdKind::Task, Some(self.group));
        sealer.seal(owner, kind, &self.text())
    }

    /// Returns `None` if the id is not that of a task of `owner` in this group.
    pub fn unseal(sealer: &Sealer, owner: &Subject, group: Group, sealed: &str) -> Option<Self> {
        let text = sealer.unseal(owner, sealed_kind(IdKind::Task, Some(group)), sealed)?;
        Some(TaskRef::parse(group, &text))
    }
}

impl TaskName {
    pub fn seal(&self, sealer: &Sealer, owner: &Subject) -> String {
        match self {
            TaskName::Upstream(task) => task.seal(sealer, owner),
            TaskName::Entry(entry) => entry.seal(sealer, owner),
        }
    }

    /// Returns `None` if the id was not sealed for `owner`.
    pub fn unseal(sealer: &Sealer, owner: &Subject, sealed: &str) -> Option<Self> {
        Group::ALL
            .into_iter()
            .find_map(|group| TaskRef::unseal(sealer, owner, group, sealed))
            .map(TaskName::Upstream)
            .or_else(|| EntryRef::unseal(sealer, owner, sealed).map(TaskName::Entry))
    }

    /// Returns a key that is unique among the subject's tasks: the group or `entry`, and the id.
    pub fn key(&self) -> [String; 2] {
        match self {
            TaskName::Upstream(task) => [task.group.name().to_owned(), task.id.clone()],
            TaskName::Entry(entry) => [
                "entry".to_owned(),
                format!("{}.{}", entry.number, entry.created_at),
            ],
        }
    }
}
