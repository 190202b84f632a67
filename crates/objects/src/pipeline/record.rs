//! The pipeline as its object stores it. Times are milliseconds since 1970.

use std::collections::BTreeMap;

use mediagate_access::identity::Planned;
use mediagate_messages::PipelineName;
use mediagate_messages::pipeline::{Grant, Start};
use mediagate_pipeline::{Action, Plan, Run, RunEvent, RunState, StepState};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The longest run without a charged create. After its end, such a pipeline is stored for this
/// time, too.
pub(super) const UNCHARGED_MS: i64 = 60 * 60 * 1000;

/// The part of a pipeline that never changes. Its plan and its bodies are stored separately.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Fixed {
    pub(super) name: PipelineName,
    /// The start of the placeholders in the bodies, and a part of the keys of its creates.
    pub(super) token: String,
    pub(super) fingerprint: String,
    pub(super) public_url: String,
    pub(super) created_at: i64,
}

/// The part of a pipeline that changes. The states of its steps are stored separately.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Lifecycle {
    pub(super) grant: Grant,
    /// The time of the start, or of the last resume.
    pub(super) started_at: i64,
    /// The time of the end. `None` while the pipeline runs.
    pub(super) ended_at: Option<i64>,
    /// The number of ends. A resumed pipeline can end again.
    pub(super) end_count: u32,
    /// True if the ledgers count the pipeline as running.
    pub(super) is_counted: bool,
    /// The time at which to store the end in the ledgers. `None` if it is stored, and while the
    /// pipeline runs.
    pub(super) end_due: Option<i64>,
}

pub(super) struct PipelineRecord {
    pub(super) fixed: Fixed,
    /// The steps, with the bodies of their creates as inputs.
    pub(super) plan: Plan,
    /// The steps' inputs as the caller sent them, with placeholders, in the order of the plan.
    pub(super) inputs: Vec<Value>,
    pub(super) run: Run,
    /// The time at which the last create of each step began.
    pub(super) begun_at: BTreeMap<usize, i64>,
    pub(super) lifecycle: Lifecycle,
}

impl PipelineRecord {
    /// Returns a pipeline that starts, or `None` if this build can't read the plan.
    pub(super) fn new(new: Start, now: i64) -> Option<Self> {
        let Start {
            name,
            plan,
            token,
            inputs,
            bodies,
            fingerprint,
            public_url,
            grant,
        } = new;
        if inputs.len() != bodies.len() {
            return None;
        }
        let plan = plan.with_inputs(bodies)?;
        let lifecycle = Lifecycle {
            grant,
            started_at: now,
            ended_at: None,
            end_count: 0,
            is_counted: false,
            end_due: None,
        };
        let fixed = Fixed {
            name,
            token,
            fingerprint,
            public_url,
            created_at: now,
        };
        Some(PipelineRecord {
            run: Run::new(&plan),
            plan,
            inputs,
            fixed,
            begun_at: BTreeMap::new(),
            lifecycle,
        })
    }

    pub(super) fn apply(&mut self, event: RunEvent, now: i64) {
        if let RunEvent::Begun { step } = event {
            self.begun_at.insert(step, now);
        }
        self.run.apply(&self.plan, event);
    }

    pub(super) fn has_ended(&self) -> bool {
        self.lifecycle.ended_at.is_some()
    }

    pub(super) fn is_running(&self) -> bool {
        self.run.state() == RunState::Running
    }

    /// Returns the positions of the steps that a resume would begin again.
    pub(super) fn steps_to_resume(&self) -> Vec<usize> {
        let mut resumed = self.run.clone();
        resumed.apply(&self.plan, RunEvent::Resumed);
        let steps = resumed.steps.iter().enumerate();
        let begin = steps.filter(|(_, run)| matches!(run.state, StepState::Waiting { .. }));
        begin.map(|(number, _)| number).collect()
    }

    /// Returns the creates of the steps that a resume would begin again.
    pub(super) fn planned_to_resume(&self) -> Planned {
        let steps = self.steps_to_resume();
        let steps = steps.iter().filter_map(|step| self.plan.steps.get(*step));
        Planned::count(steps.map(|step| step.capability.group()))
    }

    pub(super) fn planned(&self) -> Planned {
        let steps = self.plan.steps.iter().zip(&self.run.steps);
        let unsent = steps.filter(|(_, run)| run.state.is_unsent());
        Planned::count(unsent.map(|(step, _)| step.capability.group()))
    }

    /// Returns the time of the next action, or `None` if the run has no action left.
    pub(super) fn next_action_at(&self, now: i64) -> Option<i64> {
        let actions = self.run.next(&self.plan);
        let due = actions
            .iter()
            .map(|action| not_before(action).unwrap_or(now));
        due.min().map(|at| at.max(now))
    }

    pub(super) fn may_be_charged(&self) -> bool {
        self.run.steps.iter().any(|run| match &run.state {
            StepState::Running { .. } | StepState::Succeeded { .. } | StepState::Unknown { .. } => {
                true
            }
            StepState::Failed { task, .. } => task.is_some(),
            _ => false,
        })
    }

    /// Returns true if the pipeline may be deleted. An ended pipeline is stored for `stored_ms`,
    /// and until the ledgers have stored its end.
    pub(super) fn is_over(&self, stored_ms: i64, now: i64) -> bool {
        let ended_at = self.lifecycle.ended_at;
        self.lifecycle.end_due.is_none() && ended_at.is_some_and(|at| now >= at + stored_ms)
    }

    /// Returns the time at which the pipeline ends if no create is charged by then. `None` if a
    /// create may have been charged.
    pub(super) fn uncharged_until(&self) -> Option<i64> {
        (!self.may_be_charged()).then_some(self.lifecycle.started_at + UNCHARGED_MS)
    }
}

/// Returns the earliest time of an action, or `None` if it may be done at any time.
pub(super) fn not_before(action: &Action) -> Option<i64> {
    match action {
        Action::Begin { not_before, .. } => *not_before,
        _ => None,
    }
}
