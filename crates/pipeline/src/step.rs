use std::collections::BTreeMap;

use mediagate_core::{CANCELLED, FAILED, SUCCEEDED};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A step of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StepRun {
    /// The number of resumes that began the step again. Each attempt has its own idempotency key.
    pub attempt: u32,
    /// The state of the attempt.
    pub state: StepState,
}

/// The state of a step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepState {
    /// The step waits for the steps that it uses, and for the moves of their outputs.
    Waiting {
        /// The known ids, by the positions of the step's references.
        ids: BTreeMap<usize, String>,
    },
    /// The create may have been sent.
    Creating {
        /// The body, with an id for each reference.
        body: Value,
        /// The earliest time of the next request, in milliseconds since 1970. `None` if the create
        /// is not postponed.
        not_before: Option<i64>,
        /// The number of postponements so far.
        postponed: u32,
        /// The stop of the run during this create. If the create is postponed, it is not sent
        /// again.
        stop: Option<Stop>,
    },
    /// The task was created, and has not ended.
    Running {
        /// The task, in a form that the caller of [`super::Run`] chooses.
        task: Value,
    },
    /// The task succeeded.
    Succeeded {
        /// The task.
        task: Value,
        /// The outputs, a list of `{url, asset_id, kind}`.
        outputs: Value,
        /// The texts of the task's warnings. Runs that were stored before this member have none.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        warnings: Vec<String>,
    },
    /// The step failed: nothing was created, or the task did not succeed.
    Failed {
        /// The task, if there was one.
        task: Option<Value>,
        /// The reason.
        error: Value,
    },
    /// The task may or may not exist. The create is never sent again.
    Unknown {
        /// The reason.
        error: Value,
    },
    /// A step that this one uses did not succeed.
    Skipped,
    /// The run was stopped before the step was sent.
    Cancelled {
        /// The reason, unless the caller stopped the run.
        error: Option<Value>,
    },
}

/// The stop of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stop {
    /// The reason, unless the caller stopped the run.
    pub error: Option<Value>,
}

impl StepRun {
    pub(super) fn new(attempt: u32) -> Self {
        let ids = BTreeMap::new();
        StepRun {
            attempt,
            state: StepState::Waiting { ids },
        }
    }
}

impl StepState {
    /// Returns true if the step has ended, with or without success.
    pub fn has_ended(&self) -> bool {
        !matches!(
            self,
            StepState::Waiting { .. } | StepState::Creating { .. } | StepState::Running { .. }
        )
    }

    /// Returns true if the step has ended without success.
    pub fn has_failed(&self) -> bool {
        self.has_ended() && !matches!(self, StepState::Succeeded { .. })
    }

    /// Returns true if no create is being sent: the step waits, or its create was postponed.
    pub fn is_unsent(&self) -> bool {
        match self {
            StepState::Waiting { .. } => true,
            StepState::Creating { not_before, .. } => not_before.is_some(),
            _ => false,
        }
    }

    /// Returns the body of a create that may have been sent.
    pub fn body(&self) -> Option<&Value> {
        match self {
            StepState::Creating { body, .. } => Some(body),
            _ => None,
        }
    }

    /// Returns the name on the wire.
    pub fn name(&self) -> &'static str {
        match self {
            StepState::Waiting { .. } => "WAITING",
            StepState::Creating { .. } => "CREATING",
            StepState::Running { .. } => "RUNNING",
            StepState::Succeeded { .. } => SUCCEEDED,
            StepState::Failed { .. } => FAILED,
            StepState::Unknown { .. } => "UNKNOWN",
            StepState::Skipped => "SKIPPED",
            StepState::Cancelled { .. } => CANCELLED,
        }
    }

    pub(super) fn may_begin_again(&self) -> bool {
        // Not an unknown step: its first create may have been charged.
        matches!(
            self,
            StepState::Failed { .. } | StepState::Skipped | StepState::Cancelled { .. }
        )
    }
}
