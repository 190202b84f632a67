//! A pipeline as the object has it in memory, and stores it. Times are milliseconds since 1970.

use std::collections::BTreeMap;

use mediagate_core::Group;
use mediagate_core::pipeline::{Event, Plan, Run, RunState, Step, StepState};
use serde::{Deserialize, Serialize};

use crate::identity::Planned;
use crate::objects::{Grant, NewPipeline, PipelineName};
use crate::webhooks::Delivery;

/// What never changes of a pipeline, besides its plan and its bodies.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Fixed {
    pub(super) name: PipelineName,
    /// What the placeholders in the bodies begin with, and what the keys of its creates are made of.
    pub(super) token: String,
    /// Of the request.
    pub(super) fingerprint: String,
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
    /// Whether the ledger has its end.
    pub(super) is_noted: bool,
    /// Whether its owner has removed it: it is stored until the app's backend has been notified.
    pub(super) is_forgotten: bool,
    /// Deliveries of its end to the app's backend.
    pub(super) deliveries: Vec<Delivery>,
}

/// A pipeline.
pub(super) struct Record {
    pub(super) fixed: Fixed,
    pub(super) plan: Plan,
    pub(super) run: Run,
    /// When the create of a step began last.
    pub(super) begun_at: BTreeMap<usize, i64>,
    pub(super) course: Course,
}

impl Record {
    /// A pipeline that starts; `None` for one that this build can't read.
    pub(super) fn new(new: NewPipeline, now: i64) -> Option<Self> {
        let NewPipeline { name, plan, token, bodies, fingerprint, grant } = new;
        let plan = plan.with_inputs(bodies)?;
        let course = Course {
            grant,
            started_at: now,
            ended_at: None,
            endings: 0,
            is_noted: false,
            is_forgotten: false,
            deliveries: Vec::new(),
        };
        let fixed = Fixed { name, token, fingerprint, created_at: now };
        Some(Record { run: Run::new(&plan), plan, fixed, begun_at: BTreeMap::new(), course })
    }

    /// Takes an event.
    pub(super) fn apply(&mut self, event: Event, now: i64) {
        if let Event::Begun { step } = event {
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

    /// The steps that a resume would begin anew.
    pub(super) fn steps_anew(&self) -> Vec<&Step> {
        let mut resumed = self.run.clone();
        resumed.apply(&self.plan, Event::Resumed);
        let is_anew = |it: &StepState| matches!(it, StepState::Waiting { .. });
        let steps = self.plan.steps.iter().zip(resumed.steps).filter(|it| is_anew(&it.1.state));
        steps.map(|it| it.0).collect()
    }

    /// The creates that are still to be sent.
    pub(super) fn planned(&self) -> Planned {
        let steps = self.plan.steps.iter().zip(&self.run.steps).filter(|it| it.1.state.is_unsent());
        Planned::count(steps.map(|it| it.0.capability.group()))
    }

    /// Whether any of its creates may have been charged.
    pub(super) fn may_be_charged(&self) -> bool {
        let is_charged = |it: &StepState| match it {
            StepState::Running { .. } | StepState::Succeeded { .. } | StepState::Unknown { .. } => true,
            StepState::Failed { task, .. } => task.is_some(),
            _ => false,
        };
        self.run.steps.iter().any(|it| is_charged(&it.state))
    }

    /// The group of a step's capability.
    pub(super) fn group(&self, step: usize) -> Group {
        self.plan.steps.get(step).map_or(Group::Generate, |it| it.capability.group())
    }
}
