//! The task of a step, as the run stores it.

use mediagate_core::Group;
use mediagate_core::ids::IdKind;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::identity::Subject;
use crate::ids::{EntryRef, Sealer, TaskName, TaskRef, sealed_kind};

/// A task, or a result that came without one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum StepTask {
    /// What a sealed id names.
    Upstream { group: Group, text: String },
    /// An entry of the history.
    Entry(EntryRef),
}

impl StepTask {
    /// The task that a create's response names, in a group.
    pub(super) fn unseal(
        sealer: &Sealer,
        owner: &Subject,
        group: Group,
        sealed: &str,
    ) -> Option<Self> {
        let text = sealer.unseal(owner, sealed_kind(IdKind::Task, Some(group)), sealed);
        text.map(|text| StepTask::Upstream { group, text })
            .or_else(|| EntryRef::unseal(sealer, owner, sealed).map(StepTask::Entry))
    }

    pub(super) fn seal(&self, sealer: &Sealer, owner: &Subject) -> String {
        match self {
            StepTask::Upstream { group, text } => {
                sealer.seal(owner, sealed_kind(IdKind::Task, Some(*group)), text)
            }
            StepTask::Entry(entry) => entry.seal(sealer, owner),
        }
    }

    /// The task, where the upstream has it.
    pub(super) fn task(&self) -> Option<TaskRef> {
        match self {
            StepTask::Upstream { group, text } => Some(TaskRef::parse(*group, text)),
            StepTask::Entry(_) => None,
        }
    }

    pub(super) fn name(&self) -> TaskName {
        match self {
            StepTask::Upstream { group, text } => TaskName::Upstream(TaskRef::parse(*group, text)),
            StepTask::Entry(entry) => TaskName::Entry(*entry),
        }
    }

    /// As a run has it.
    pub(super) fn to_value(&self) -> Value {
        // Serialising strings and numbers can't fail.
        serde_json::to_value(self).unwrap_or_default()
    }

    pub(super) fn of_value(value: &Value) -> Option<Self> {
        serde_json::from_value(value.clone()).ok()
    }
}
