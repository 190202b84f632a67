//! The task of a step, in the form that the run stores.

use mediagate_core::Group;
use mediagate_core::ids::IdKind;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::identity::Subject;
use crate::ids::{EntryRef, Sealer, TaskName, TaskRef, sealed_kind};

/// A task, or the result of a create without a task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum StepTask {
    /// A task of the upstream. `text` is the content of its sealed id.
    Upstream { group: Group, text: String },
    /// An entry of the history.
    Entry(EntryRef),
}

impl StepTask {
    /// Unseals the task id in a create's response. Returns `None` if the id was not sealed for
    /// `owner`.
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

    /// Returns the upstream's task, if there is one.
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

    /// Returns the form that the run stores.
    pub(super) fn to_value(&self) -> Value {
        // Serialising strings and numbers can't fail.
        serde_json::to_value(self).unwrap_or_default()
    }

    pub(super) fn of_value(value: &Value) -> Option<Self> {
        serde_json::from_value(value.clone()).ok()
    }
}
