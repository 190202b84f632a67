//! A pipeline as the object has it in memory, and stores it. Times are milliseconds since 1970.

use std::collections::BTreeMap;

use mediagate_core::Group;
use mediagate_pipeline::{Action, Plan, Run, RunEvent, RunState, StepRun, StepState};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::identity::Planned;
use crate::objects::{Grant, NewPipeline, PipelineCount, PipelineName};

/// How long a pipeline runs, and is stored once it has ended, if none of its creates was charged, in milliseconds.
pub(super) const UNCHARGED_MS: i64 = 60 * 60 * 1000;

/// What never changes of a pipeline, besides its plan and its bodies.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Fixed {
    pub(super) name: PipelineName,
    /// What the placeholders in the bodies begin with, and what the keys of its creates are made of.
    pub(super) token: String,
    /// Of the request.
    pub(super) fingerprint: String,
    /// The gateway's URL, for the URLs of media in results.
    pub(super) public_url: String,
    pub(super) created_at: i64,
}

/// What changes of it, besides its run.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Course {
    pub(super) grant: Grant,
    /// When it started, or was resumed last.
    pub(super) started_at: i64,
    /// When it ended; `None` while it runs.
    pub(super) ended_at: Option<i64>,
    /// How often it ended.
    pub(super) endings: u32,
    /// Whether the ledgers count it as one that runs.
    pub(super) is_counted: bool,
    /// When its end is to be noted in the ledgers; `None` if it is noted, and while it runs.
    pub(super) note_due: Option<i64>,
}

/// A pipeline.
pub(super) struct PipelineRecord {
    pub(super) fixed: Fixed,
    /// Its steps, with the bodies of their creates as inputs.
    pub(super) plan: Plan,
    /// The steps' inputs as the caller gave them, with placeholders, in the order of the plan.
    pub(super) inputs: Vec<Value>,
    pub(super) run: Run,
    /// When the create of a step began last.
    pub(super) begun_at: BTreeMap<usize, i64>,
    pub(super) course: Course,
}

impl PipelineRecord {
    /// A pipeline that starts; `None` for one that this build can't read.
    pub(super) fn new(new: NewPipeline, now: i64) -> Option<Self> {
        let NewPipeline {
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
        let course = Course {
            grant,
            started_at: now,
            ended_at: None,
            endings: 0,
            is_counted: false,
            note_due: None,
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
            course,
        })
    }

    /// Takes an event.
    pub(super) fn apply(&mut self, event: RunEvent, now: i64) {
        if let RunEvent::Begun { step } = event {
            self.begun_at.insert(step, now);
        }
        self.run.apply(&self.plan, event);
    }

    /// Whether its end is written down.
    pub(super) fn has_ended(&self) -> bool {
        self.course.ended_at.is_some()
    }

    /// Whether something of it is still to happen.
    pub(super) fn is_running(&self) -> bool {
        self.run.state() == RunState::Running
    }

    /// Returns the positions of the steps that a resume would begin again.
    pub(super) fn steps_to_resume(&self) -> Vec<usize> {
        let mut resumed = self.run.clone();
        resumed.apply(&self.plan, RunEvent::Resumed);
        let begins = |run: &StepRun| matches!(run.state, StepState::Waiting { .. });
        resumed
            .steps
            .iter()
            .enumerate()
            .filter(|(_, run)| begins(run))
            .map(|(number, _)| number)
            .collect()
    }

    /// Returns what ledgers count of it, with the creates of some steps planned.
    pub(super) fn count(&self, grant: &Grant, steps: &[usize]) -> PipelineCount {
        let steps = steps.iter().filter_map(|step| self.plan.steps.get(*step));
        PipelineCount {
            title: self.plan.title.clone(),
            planned: Planned::count(steps.map(|step| step.capability.group())),
            budget: grant.budget,
            pool: grant.pool,
        }
    }

    /// The creates that are still to be sent.
    pub(super) fn planned(&self) -> Planned {
        let steps = self
            .plan
            .steps
            .iter()
            .zip(&self.run.steps)
            .filter(|it| it.1.state.is_unsent());
        Planned::count(steps.map(|it| it.0.capability.group()))
    }

    /// Returns when an action is due that has nothing else to wait for; `None` if the run waits for nothing.
    pub(super) fn next_action_at(&self, now: i64) -> Option<i64> {
        let due = |action: &Action| match action {
            Action::Begin { not_before, .. } => (*not_before).max(now),
            _ => now,
        };
        self.run.next(&self.plan).iter().map(due).min()
    }

    /// Whether any of its creates may have been charged.
    pub(super) fn may_be_charged(&self) -> bool {
        let is_charged = |it: &StepState| match it {
            StepState::Running { .. } | StepState::Succeeded { .. } | StepState::Unknown { .. } => {
                true
            }
            StepState::Failed { task, .. } => task.is_some(),
            _ => false,
        };
        self.run.steps.iter().any(|it| is_charged(&it.state))
    }

    /// Returns when it ends unless one of its creates was accepted; `None` if one was.
    pub(super) fn uncharged_until(&self) -> Option<i64> {
        (!self.may_be_charged()).then_some(self.course.started_at + UNCHARGED_MS)
    }

    /// The group of a step's capability.
    pub(super) fn group(&self, step: usize) -> Group {
        self.plan
            .steps
            .get(step)
            .map_or(Group::Generate, |it| it.capability.group())
    }
}
