//! How far a pipeline is, and what is to be done next.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::plan::{Plan, Step, StepReference};
use super::step::{StepRun, StepState, Stop};
use mediagate_core::fits;

/// How far a pipeline is: what is stored of it, besides its request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// Its steps, in the order of the plan's.
    pub steps: Vec<StepRun>,
}

/// The state of a run as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunState {
    /// Something of it is still to happen.
    Running,
    /// Each step succeeded.
    Succeeded,
    /// A step did not succeed, or whether it did is unknown.
    Failed,
    /// It was stopped before a step was sent, and none failed.
    Cancelled,
}

/// What is to be done. Actions of one run may be done at the same time, and in any order; each ends with a [`RunEvent`].
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// To move an output into the storage, for an input: [`RunEvent::Moved`] or [`RunEvent::Failed`].
    Move {
        /// The step whose input it is.
        step: usize,
        /// The position of the step's reference.
        reference: usize,
        /// The task that has the output.
        task: Value,
        /// The position of the output.
        output: u32,
    },
    /// To begin a create, or to go on with one that was postponed: [`RunEvent::Begun`]. Once that is stored, the create is sent.
    Begin {
        /// The step.
        step: usize,
        /// The time before which it does not begin, in milliseconds since 1970; 0 for none.
        not_before: i64,
    },
    /// To send a create under the key of its step and attempt, perhaps once more: [`RunEvent::Created`], [`RunEvent::Ended`] where a
    /// result came in place of a task, [`RunEvent::Failed`], [`RunEvent::Lost`] or [`RunEvent::Postponed`].
    Send {
        /// The step.
        step: usize,
        /// Its attempt.
        attempt: u32,
    },
    /// To wait for the end of a task: [`RunEvent::Ended`] or [`RunEvent::Failed`].
    Follow {
        /// The step.
        step: usize,
        /// The task.
        task: Value,
    },
}

impl Action {
    /// The step that it is for.
    pub fn step(&self) -> usize {
        match self {
            Action::Move { step, .. }
            | Action::Begin { step, .. }
            | Action::Send { step, .. }
            | Action::Follow { step, .. } => *step,
        }
    }
}

/// What became of an action, or what the caller wants.
#[derive(Clone, Debug, PartialEq)]
pub enum RunEvent {
    /// An output is in the storage, under this id.
    Moved {
        /// The step whose input it is.
        step: usize,
        /// The position of the step's reference.
        reference: usize,
        /// The file's id.
        id: String,
    },
    /// A create begins.
    Begun {
        /// The step.
        step: usize,
    },
    /// A create was not accepted for now, and charged nothing.
    Postponed {
        /// The step.
        step: usize,
        /// When it is sent again, in milliseconds since 1970.
        until: i64,
    },
    /// A task was created.
    Created {
        /// The step.
        step: usize,
        /// The task.
        task: Value,
    },
    /// A task succeeded, or a result came in place of one.
    Ended {
        /// The step.
        step: usize,
        /// The task.
        task: Value,
        /// Its outputs, a list of `{url, asset_id, kind}`.
        outputs: Value,
    },
    /// A step failed: nothing was created, or its task did not succeed.
    Failed {
        /// The step.
        step: usize,
        /// Why.
        error: Value,
    },
    /// Whether a create made a task is unknown.
    Lost {
        /// The step.
        step: usize,
        /// Why.
        error: Value,
    },
    /// What was not sent, or was postponed, is not to be sent. The error says why, where it was not the caller.
    Stopped {
        /// Why.
        error: Option<Value>,
    },
    /// What did not succeed begins anew.
    Resumed,
}

impl Run {
    /// The beginning of a plan.
    pub fn new(plan: &Plan) -> Self {
        Run {
            steps: plan
                .steps
                .iter()
                .map(|_| StepRun {
                    attempt: 0,
                    state: StepState::new(),
                })
                .collect(),
        }
    }

    /// The state of the whole.
    pub fn state(&self) -> RunState {
        let any = |test: &dyn Fn(&StepState) -> bool| self.steps.iter().any(|it| test(&it.state));
        if any(&|it| !it.has_ended()) {
            RunState::Running
        } else if any(&|it| matches!(it, StepState::Failed { .. } | StepState::Unknown { .. })) {
            RunState::Failed
        } else if any(&StepState::has_failed) {
            RunState::Cancelled
        } else {
            RunState::Succeeded
        }
    }

    /// Whether a resume would begin a step anew: one that does not depend on an unknown outcome.
    pub fn may_resume(&self, plan: &Plan) -> bool {
        let mut resumed = self.clone();
        resumed.apply(plan, RunEvent::Resumed);
        self.state() != RunState::Running && resumed.state() == RunState::Running
    }

    /// What is to be done: nothing once the run has ended.
    pub fn next(&self, plan: &Plan) -> Vec<Action> {
        let mut actions = Vec::new();
        for (step, (planned, run)) in plan.steps.iter().zip(&self.steps).enumerate() {
            match &run.state {
                StepState::Waiting { ids } => {
                    let missing = |it: &usize| !ids.contains_key(it);
                    let sources: Option<Vec<_>> = (0..planned.references.len())
                        .filter(missing)
                        .map(|it| self.source(planned, it))
                        .collect();
                    // Otherwise a step that it uses has not ended.
                    let Some(sources) = sources else { continue };
                    if sources.is_empty() {
                        actions.push(Action::Begin {
                            step,
                            not_before: 0,
                        });
                    }
                    for (index, (reference, task, output)) in sources.iter().enumerate() {
                        // An output that is wanted in several places is moved once.
                        if !sources
                            .iter()
                            .take(index)
                            .any(|it| (&it.1, it.2) == (task, *output))
                        {
                            let (reference, task, output) = (*reference, task.clone(), *output);
                            actions.push(Action::Move {
                                step,
                                reference,
                                task,
                                output,
                            });
                        }
                    }
                }
                StepState::Creating { not_before: 0, .. } => actions.push(Action::Send {
                    step,
                    attempt: run.attempt,
                }),
                StepState::Creating { not_before, .. } => actions.push(Action::Begin {
                    step,
                    not_before: *not_before,
                }),
                StepState::Running { task } => actions.push(Action::Follow {
                    step,
                    task: task.clone(),
                }),
                _ => {}
            }
        }
        actions
    }

    /// The output that a reference of a step means: with the task, and its position. `None` where there is none.
    fn source(&self, planned: &Step, reference: usize) -> Option<(usize, Value, u32)> {
        let StepReference {
            field,
            step,
            output,
            ..
        } = planned.references.get(reference)?;
        let StepState::Succeeded { task, outputs } = &self.steps.get(*step)?.state else {
            return None;
        };
        let outputs = outputs.as_array()?;
        let position = match output {
            Some(it) => usize::try_from(*it)
                .ok()
                .filter(|it| outputs.get(*it).is_some_and(|it| fits(field.kind, it))),
            None => outputs.iter().position(|it| fits(field.kind, it)),
        };
        Some((reference, task.clone(), u32::try_from(position?).ok()?))
    }

    /// Takes an event. One that is not about the present state of a step changes nothing: it came twice, or too late.
    pub fn apply(&mut self, plan: &Plan, event: RunEvent) {
        match event {
            RunEvent::Moved {
                step,
                reference,
                id,
            } => self.moved(plan, step, reference, &id),
            RunEvent::Begun { step } => self.begin(plan, step),
            RunEvent::Postponed { step, until } => {
                if let Some(StepState::Creating {
                    not_before: not_before @ 0,
                    postponed,
                    stop,
                    ..
                }) = self.state_of(step)
                {
                    *not_before = until;
                    *postponed += 1;
                    if let Some(Stop { error }) = stop.take() {
                        self.replace_if(step, is_creating, StepState::Cancelled { error });
                    }
                }
            }
            RunEvent::Created { step, task } => {
                self.replace_if(step, is_creating, StepState::Running { task })
            }
            RunEvent::Ended {
                step,
                task,
                outputs,
            } => {
                self.replace_if(step, is_under_way, StepState::Succeeded { task, outputs });
            }
            RunEvent::Failed { step, error } => {
                let task = match self.state_of(step) {
                    Some(StepState::Running { task }) => Some(task.clone()),
                    _ => None,
                };
                self.replace_if(
                    step,
                    |it| !it.has_ended(),
                    StepState::Failed { task, error },
                );
            }
            RunEvent::Lost { step, error } => {
                self.replace_if(step, is_creating, StepState::Unknown { error })
            }
            RunEvent::Stopped { error } => {
                for run in &mut self.steps {
                    match &mut run.state {
                        it if it.is_unsent() => {
                            *it = StepState::Cancelled {
                                error: error.clone(),
                            }
                        }
                        StepState::Creating { stop, .. } => {
                            *stop = Some(Stop {
                                error: error.clone(),
                            })
                        }
                        _ => {}
                    }
                }
            }
            RunEvent::Resumed => {
                for run in self.steps.iter_mut().filter(|it| it.state.may_begin_anew()) {
                    *run = StepRun {
                        attempt: run.attempt + 1,
                        state: StepState::new(),
                    };
                }
            }
        }
        self.settle(plan);
    }

    /// An output is in the storage: for every place of a step's input that wants it.
    fn moved(&mut self, plan: &Plan, step: usize, reference: usize, id: &str) {
        let Some(planned) = plan.steps.get(step) else {
            return;
        };
        let source = |it: usize| {
            planned
                .references
                .get(it)
                .map(|it| it.step)
                .zip(self.source(planned, it).map(|it| it.2))
        };
        let wanted = source(reference);
        let same: Vec<usize> = (0..planned.references.len())
            .filter(|it| wanted.is_some() && source(*it) == wanted)
            .collect();
        if let Some(StepState::Waiting { ids }) = self.state_of(step) {
            for it in same {
                ids.insert(it, id.into());
            }
        }
    }

    fn state_of(&mut self, step: usize) -> Option<&mut StepState> {
        self.steps.get_mut(step).map(|it| &mut it.state)
    }

    fn replace_if(&mut self, step: usize, test: fn(&StepState) -> bool, new: StepState) {
        if let Some(state) = self.state_of(step).filter(|it| test(it)) {
            *state = new;
        }
    }

    /// A create begins, with the ids in the places of its references.
    fn begin(&mut self, plan: &Plan, step: usize) {
        let Some(planned) = plan.steps.get(step) else {
            return;
        };
        match self.state_of(step) {
            Some(StepState::Creating { not_before, .. }) => *not_before = 0,
            Some(StepState::Waiting { ids }) if ids.len() == planned.references.len() => {
                let body = planned.with_ids(ids);
                self.replace_if(
                    step,
                    |_| true,
                    StepState::Creating {
                        body,
                        not_before: 0,
                        postponed: 0,
                        stop: None,
                    },
                );
            }
            _ => {}
        }
    }

    /// What follows for the steps that wait, of a run that was stored: a part of what an event changed may have been lost.
    pub fn restore(&mut self, plan: &Plan) {
        self.settle(plan);
    }

    /// What follows for the steps that wait: each is after those that it uses.
    fn settle(&mut self, plan: &Plan) {
        for (step, planned) in plan.steps.iter().enumerate() {
            if !self
                .steps
                .get(step)
                .is_some_and(|it| matches!(it.state, StepState::Waiting { .. }))
            {
                continue;
            }
            let states = || {
                planned
                    .references
                    .iter()
                    .filter_map(|it| self.steps.get(it.step))
                    .map(|it| &it.state)
            };
            if states().any(StepState::has_failed) {
                self.replace_if(step, |_| true, StepState::Skipped);
            } else if states().all(StepState::has_ended) {
                self.use_outputs(planned, step);
            }
        }
    }

    /// All steps that this one uses succeeded: ids of assets are taken as they are, and an output that is not there fails it.
    fn use_outputs(&mut self, planned: &Step, step: usize) {
        for (index, reference) in planned.references.iter().enumerate() {
            match self.source(planned, index) {
                None => {
                    let error = no_output(planned, reference);
                    return self.replace_if(
                        step,
                        |_| true,
                        StepState::Failed { task: None, error },
                    );
                }
                Some((_, _, position)) if reference.field.kind.media().is_none() => {
                    let Some(id) = self.asset_id(reference.step, position) else {
                        continue;
                    };
                    if let Some(StepState::Waiting { ids }) = self.state_of(step) {
                        ids.insert(index, id);
                    }
                }
                Some(_) => {}
            }
        }
    }

    fn asset_id(&self, step: usize, position: u32) -> Option<String> {
        let StepState::Succeeded { outputs, .. } = &self.steps.get(step)?.state else {
            return None;
        };
        let output = outputs.get(usize::try_from(position).ok()?)?;
        output.get("asset_id")?.as_str().map(Into::into)
    }
}

fn is_creating(state: &StepState) -> bool {
    matches!(state, StepState::Creating { .. })
}

fn is_under_way(state: &StepState) -> bool {
    matches!(
        state,
        StepState::Creating { .. } | StepState::Running { .. }
    )
}

/// The error of a step that wants an output which the one that it uses does not have.
fn no_output(planned: &Step, reference: &StepReference) -> Value {
    let issues = mediagate_core::without_output(reference.field, reference.index);
    let issues: Vec<_> = issues
        .iter()
        .map(|it| json!({"path": it.path, "reason": it.reason.name(), "message": it.message, "severity": it.severity.name()}))
        .collect();
    let message = format!(
        "the input of {} refers to an output that is not there",
        planned.name
    );
    json!({"reason": "unknown_output", "message": message, "errors": issues})
}
