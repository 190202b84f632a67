//! How far a step of a pipeline is.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A step of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StepRun {
    /// How often it was begun anew by a resume. Each attempt has an idempotency key of its own.
    pub attempt: u32,
    /// How far it is.
    pub state: StepState,
}

/// How far a step is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepState {
    /// It waits for the steps that it uses, and for their outputs to be in the storage.
    Waiting {
        /// The ids that are there, by the positions of the step's references.
        ids: BTreeMap<usize, String>,
    },
    /// Its create may have been sent.
    Creating {
        /// The body, with ids alone.
        body: Value,
        /// The time before which it is not sent again, in milliseconds since 1970; 0 for none.
        not_before: i64,
        /// How often it was postponed.
        postponed: u32,
        /// Whether it is not to be sent again, should it be postponed: the run was stopped meanwhile.
        stop: Option<Stop>,
    },
    /// Its task was created, and has not ended.
    Running {
        /// The task, as the caller of [`super::Run`] names it.
        task: Value,
    },
    /// Its task succeeded.
    Succeeded {
        /// The task.
        task: Value,
        /// The outputs, a list of `{url, asset_id, kind}`.
        outputs: Value,
    },
    /// It failed: nothing was created, or the task did not succeed.
    Failed {
        /// The task, where there was one.
        task: Option<Value>,
        /// Why.
        error: Value,
    },
    /// Whether its task was created is unknown. It is never sent again.
    Unknown {
        /// Why.
        error: Value,
    },
    /// A step that it uses did not succeed.
    Skipped,
    /// It was not sent, since the run was stopped.
    Cancelled {
        /// Why, where it was not the caller.
        error: Option<Value>,
    },
}

/// That a run was stopped.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stop {
    /// Why, where it was not the caller.
    pub error: Option<Value>,
}

impl StepState {
    /// The state of a step of which nothing was done.
    pub(super) fn new() -> Self {
        StepState::Waiting {
            ids: BTreeMap::new(),
        }
    }

    /// Whether nothing more happens to it.
    pub fn has_ended(&self) -> bool {
        !matches!(
            self,
            StepState::Waiting { .. } | StepState::Creating { .. } | StepState::Running { .. }
        )
    }

    /// Whether it ended without success.
    pub fn has_failed(&self) -> bool {
        self.has_ended() && !matches!(self, StepState::Succeeded { .. })
    }

    /// Whether its create is not under way: it waits, or was postponed.
    pub fn is_unsent(&self) -> bool {
        match self {
            StepState::Waiting { .. } => true,
            StepState::Creating { not_before, .. } => *not_before != 0,
            _ => false,
        }
    }

    /// The body of a create that may have been sent.
    pub fn body(&self) -> Option<&Value> {
        match self {
            StepState::Creating { body, .. } => Some(body),
            _ => None,
        }
    }

    /// Its name on the wire.
    pub fn name(&self) -> &'static str {
        match self {
            StepState::Waiting { .. } => "WAITING",
            StepState::Creating { .. } => "CREATING",
            StepState::Running { .. } => "RUNNING",
            StepState::Succeeded { .. } => "SUCCEEDED",
            StepState::Failed { .. } => "FAILED",
            StepState::Unknown { .. } => "UNKNOWN",
            StepState::Skipped => "SKIPPED",
            StepState::Cancelled { .. } => "CANCELLED",
        }
    }

    /// Whether a resume begins it anew.
    pub(super) fn may_begin_anew(&self) -> bool {
        matches!(
            self,
            StepState::Failed { .. } | StepState::Skipped | StepState::Cancelled { .. }
        )
    }
}
