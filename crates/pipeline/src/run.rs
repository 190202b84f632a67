use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::plan::{Plan, Step, StepReference};
use super::step::{StepRun, StepState, Stop};
use mediagate_core::{Reason, fits};

/// The progress of a pipeline. The caller stores it beside the plan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// The steps, in the order of the plan.
    pub steps: Vec<StepRun>,
}

/// The state of the run as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunState {
    /// A step has not ended.
    Running,
    /// Each step succeeded.
    Succeeded,
    /// A step failed, or its outcome is unknown.
    Failed,
    /// The run was stopped before a step was sent, and no step failed.
    Cancelled,
}

/// An action of the caller's. The actions of a run may happen at the same time and in any order.
/// Each ends with a [`RunEvent`].
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Move an output into the storage, for an input. Ends with [`RunEvent::Moved`] or
    /// [`RunEvent::Failed`].
    Move {
        /// The step with the input.
        step: usize,
        /// The position among the step's references.
        reference: usize,
        /// The task that has the output.
        task: Value,
        /// The position among the task's outputs.
        output: u32,
    },
    /// Begin a create, or continue a postponed one: [`RunEvent::Begun`]. The create is sent only
    /// after the event is stored.
    Begin {
        /// The step.
        step: usize,
        /// The earliest time, in milliseconds since 1970, if the create was postponed.
        not_before: Option<i64>,
    },
    /// Send a create under the key of its step and attempt. It may have been sent before. Ends with
    /// [`RunEvent::Created`], with [`RunEvent::Ended`] if the response is a result instead of a
    /// task, or with [`RunEvent::Failed`], [`RunEvent::Lost`] or [`RunEvent::Postponed`].
    Send {
        /// The step.
        step: usize,
        /// The attempt.
        attempt: u32,
    },
    /// Wait for the end of a task: [`RunEvent::Ended`] or [`RunEvent::Failed`].
    Follow {
        /// The step.
        step: usize,
        /// The task.
        task: Value,
    },
}

impl Action {
    /// The step of the action.
    pub fn step(&self) -> usize {
        match self {
            Action::Move { step, .. }
            | Action::Begin { step, .. }
            | Action::Send { step, .. }
            | Action::Follow { step, .. } => *step,
        }
    }
}

/// The result of an action, or a command of the caller's.
#[derive(Clone, Debug, PartialEq)]
pub enum RunEvent {
    /// An output is in the storage, under this id.
    Moved {
        /// The step with the input.
        step: usize,
        /// The position among the step's references.
        reference: usize,
        /// The file's id.
        id: String,
    },
    /// A create begins.
    Begun {
        /// The step.
        step: usize,
    },
    /// A create was refused for some time. Nothing was charged.
    Postponed {
        /// The step.
        step: usize,
        /// The time of the next request, in milliseconds since 1970.
        until: i64,
    },
    /// A task was created.
    Created {
        /// The step.
        step: usize,
        /// The task.
        task: Value,
    },
    /// The task succeeded, or the response to the create was a result.
    Ended {
        /// The step.
        step: usize,
        /// The task.
        task: Value,
        /// A list of `{url, asset_id, kind}`.
        outputs: Value,
        /// The texts of warnings.
        warnings: Vec<String>,
    },
    /// A step failed: nothing was created, or the task did not succeed.
    Failed {
        /// The step.
        step: usize,
        /// The reason.
        error: Value,
    },
    /// A create may or may not have made a task.
    Lost {
        /// The step.
        step: usize,
        /// The reason.
        error: Value,
    },
    /// The run is stopped. Only a create that is already being sent goes on.
    Stopped {
        /// The reason, unless the caller stopped the run.
        error: Option<Value>,
    },
    /// The steps that failed, were skipped or were cancelled begin again.
    Resumed,
}

#[derive(Clone, PartialEq)]
struct Source {
    task: Value,
    /// The position among the task's outputs.
    output: u32,
}

impl Run {
    /// Returns the run of a plan in which no step has begun.
    pub fn new(plan: &Plan) -> Self {
        Run {
            steps: plan.steps.iter().map(|_| StepRun::new(0)).collect(),
        }
    }

    /// Returns the state of the run as a whole.
    pub fn state(&self) -> RunState {
        let mut run_state = RunState::Succeeded;
        for StepRun { state, .. } in &self.steps {
            if !state.has_ended() {
                // After a failure, independent steps go on.
                return RunState::Running;
            }
            if matches!(state, StepState::Failed { .. } | StepState::Unknown { .. }) {
                run_state = RunState::Failed;
            } else if state.has_failed() && run_state == RunState::Succeeded {
                run_state = RunState::Cancelled;
            }
        }
        run_state
    }

    /// Returns true if the run has ended, and a resume would begin a step again. A step with an
    /// unknown outcome, and the steps that use it, do not begin again.
    pub fn may_resume(&self, plan: &Plan) -> bool {
        // A trial on a copy, so that only `apply` has the rule.
        let mut resumed = self.clone();
        resumed.apply(plan, RunEvent::Resumed);
        self.state() != RunState::Running && resumed.state() == RunState::Running
    }

    /// Returns the next actions. There are none if the run has ended.
    pub fn next(&self, plan: &Plan) -> Vec<Action> {
        let mut actions = Vec::new();
        for (step, (planned, run)) in plan.steps.iter().zip(&self.steps).enumerate() {
            match &run.state {
                StepState::Waiting { ids } => {
                    let missing: Vec<usize> = (0..planned.references.len())
                        .filter(|reference| !ids.contains_key(reference))
                        .collect();
                    let sources: Option<Vec<Source>> = missing
                        .iter()
                        .map(|reference| self.source(planned, *reference))
                        .collect();
                    let Some(sources) = sources else {
                        // A step that this one uses has not ended.
                        continue;
                    };
                    if sources.is_empty() {
                        actions.push(Action::Begin {
                            step,
                            not_before: None,
                        });
                    }
                    for (index, (reference, source)) in
                        missing.into_iter().zip(&sources).enumerate()
                    {
                        // An output of several references is moved only once.
                        if sources.iter().take(index).any(|moved| moved == source) {
                            continue;
                        }
                        actions.push(Action::Move {
                            step,
                            reference,
                            task: source.task.clone(),
                            output: source.output,
                        });
                    }
                }
                StepState::Creating {
                    not_before: None, ..
                } => actions.push(Action::Send {
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

    /// Returns the output that a reference means. `None` if the used step has not succeeded, or has
    /// no such output.
    fn source(&self, planned: &Step, reference: usize) -> Option<Source> {
        let StepReference {
            field,
            step,
            output,
            ..
        } = planned.references.get(reference)?;
        let StepState::Succeeded { task, outputs, .. } = &self.steps.get(*step)?.state else {
            return None;
        };
        let outputs = outputs.as_array()?;
        let output = match output {
            Some(position) => {
                let found = outputs.get(usize::try_from(*position).ok()?)?;
                fits(field.kind, found).then_some(*position)?
            }
            None => {
                let position = outputs.iter().position(|found| fits(field.kind, found))?;
                u32::try_from(position).ok()?
            }
        };
        Some(Source {
            task: task.clone(),
            output,
        })
    }

    /// Applies an event. An event that does not match the state of its step came twice or too late,
    /// and changes nothing.
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
                    not_before: not_before @ None,
                    postponed,
                    stop,
                    ..
                }) = self.state_of(step)
                {
                    *not_before = Some(until);
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
                warnings,
            } => {
                let succeeded = StepState::Succeeded {
                    task,
                    outputs,
                    warnings,
                };
                self.replace_if(step, is_under_way, succeeded);
            }
            RunEvent::Failed { step, error } => {
                let task = match self.state_of(step) {
                    Some(StepState::Running { task }) => Some(task.clone()),
                    _ => None,
                };
                self.replace_if(
                    step,
                    |state| !state.has_ended(),
                    StepState::Failed { task, error },
                );
            }
            RunEvent::Lost { step, error } => {
                self.replace_if(step, is_creating, StepState::Unknown { error })
            }
            RunEvent::Stopped { error } => {
                for run in &mut self.steps {
                    match &mut run.state {
                        state if state.is_unsent() => {
                            *state = StepState::Cancelled {
                                error: error.clone(),
                            }
                        }
                        // The create is being sent. Its response decides, unless it is postponed.
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
                let steps = self.steps.iter_mut();
                for run in steps.filter(|run| run.state.may_begin_again()) {
                    *run = StepRun::new(run.attempt + 1);
                }
            }
        }
        self.settle(plan);
    }

    /// Stores the id of a moved output for each reference that means this output.
    fn moved(&mut self, plan: &Plan, step: usize, reference: usize, id: &str) {
        let Some(planned) = plan.steps.get(step) else {
            // The plan has no such step, so the event is not of this run.
            return;
        };
        let Some(moved) = self.used_output(planned, reference) else {
            // The used step has no such output, so the event came too late.
            return;
        };
        let same: Vec<usize> = (0..planned.references.len())
            .filter(|index| self.used_output(planned, *index) == Some(moved))
            .collect();
        if let Some(StepState::Waiting { ids }) = self.state_of(step) {
            for index in same {
                ids.insert(index, id.into());
            }
        }
    }

    /// Returns the used step, and the position of its output.
    fn used_output(&self, planned: &Step, reference: usize) -> Option<(usize, u32)> {
        let used = planned.references.get(reference)?.step;
        Some((used, self.source(planned, reference)?.output))
    }

    fn state_of(&mut self, step: usize) -> Option<&mut StepState> {
        self.steps.get_mut(step).map(|run| &mut run.state)
    }

    fn replace_if(&mut self, step: usize, test: fn(&StepState) -> bool, new: StepState) {
        if let Some(state) = self.state_of(step).filter(|state| test(state)) {
            *state = new;
        }
    }

    /// Begins a create, with ids instead of its references, or continues a postponed one.
    fn begin(&mut self, plan: &Plan, step: usize) {
        let Some(planned) = plan.steps.get(step) else {
            // The plan has no such step, so the event is not of this run.
            return;
        };
        match self.state_of(step) {
            Some(StepState::Creating { not_before, .. }) => *not_before = None,
            Some(StepState::Waiting { ids }) if ids.len() == planned.references.len() => {
                let body = planned.with_ids(ids);
                self.replace_if(
                    step,
                    |_| true,
                    StepState::Creating {
                        body,
                        not_before: None,
                        postponed: 0,
                        stop: None,
                    },
                );
            }
            _ => {}
        }
    }

    /// Completes a run that was read from the storage. The steps are stored one by one, so an
    /// interruption may have lost the effect of an event on waiting steps.
    pub fn restore(&mut self, plan: &Plan) {
        self.settle(plan);
    }

    /// Updates the waiting steps after a change. One pass is enough, because each step comes after
    /// the steps that it uses.
    fn settle(&mut self, plan: &Plan) {
        for (step, planned) in plan.steps.iter().enumerate() {
            if !matches!(self.state_of(step), Some(StepState::Waiting { .. })) {
                continue;
            }
            let used = planned.references.iter();
            let states = used.filter_map(|used| Some(&self.steps.get(used.step)?.state));
            if states.clone().any(StepState::has_failed) {
                self.replace_if(step, |_| true, StepState::Skipped);
            } else if states.clone().all(StepState::has_ended) {
                self.use_outputs(planned, step);
            }
        }
    }

    /// Takes the outputs of the used steps, which have all succeeded. Ids of assets are used as
    /// they are. A missing output fails the step. Files are moved by an action.
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
                Some(source) if reference.field.kind.media().is_none() => {
                    let Some(id) = self.asset_id(reference.step, source.output) else {
                        // `fits` accepts only outputs with an asset's id.
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

fn no_output(planned: &Step, reference: &StepReference) -> Value {
    let issues = mediagate_core::without_output(reference.field, reference.index);
    let issues: Vec<_> = issues
        .iter()
        .map(|issue| {
            json!({
                "path": issue.path,
                "reason": issue.reason.name(),
                "message": issue.message,
                "severity": issue.severity.name(),
            })
        })
        .collect();
    let message = format!(
        "the input of {} refers to an output that is not there",
        planned.name
    );
    json!({"reason": Reason::UnknownOutput.name(), "message": message, "errors": issues})
}
