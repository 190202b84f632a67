use std::collections::HashMap;

use mediagate_access::identity::Subject;
use mediagate_core::{CANCELLED, FAILED, SUCCEEDED};
use mediagate_ids::{Sealer, TaskName};
use mediagate_pipeline::{Plan, RunState, StepState};
use mediagate_platform::date;
use mediagate_platform::json::present;
use serde::Deserialize;
use serde_json::{Value, json};

use super::record::PipelineRecord;

pub(super) type Records = HashMap<usize, Value>;

/// Returns `{pipeline: {…}}` with ids sealed for its owner.
pub(super) fn view(sealer: &Sealer, record: &PipelineRecord, records: &Records) -> Value {
    let PipelineRecord {
        fixed,
        plan,
        run,
        lifecycle,
        ..
    } = record;
    let owner = &fixed.name.subject;
    // A pipeline whose last step has ended is shown as running until its end is stored.
    let has_ended = record.has_ended();
    let run_state = if has_ended {
        run.state()
    } else {
        RunState::Running
    };
    let steps: Vec<Value> = (0..plan.steps.len())
        .map(|number| step(sealer, record, number, records.get(&number)))
        .collect();
    let steps_run = run.steps.iter().enumerate();
    let last = steps_run.filter(|(step, _)| !is_used(plan, *step));
    let outputs = last.filter_map(|(_, step_run)| match &step_run.state {
        StepState::Succeeded { outputs, .. } => sealed(sealer, owner, outputs).as_array().cloned(),
        _ => None,
    });
    let ended_at = lifecycle
        .ended_at
        .map(|ended_at| json!(date(ended_at as f64)));
    let pipeline = present([
        ("id", Some(json!(fixed.name.seal(sealer)))),
        ("title", plan.title.clone().map(Value::from)),
        ("state", Some(json!(state(run_state)))),
        ("created_at", Some(json!(date(fixed.created_at as f64)))),
        ("ended_at", ended_at),
        ("resumable", Some(json!(has_ended && run.may_resume(plan)))),
        ("steps", Some(json!(steps))),
        ("outputs", Some(outputs.flatten().collect())),
    ]);
    json!({"pipeline": pipeline})
}

/// Returns true if another step uses an output of the step.
fn is_used(plan: &Plan, step: usize) -> bool {
    let mut references = plan.steps.iter().flat_map(|step| &step.references);
    references.any(|reference| reference.step == step)
}

pub(super) fn state(state: RunState) -> &'static str {
    match state {
        RunState::Running => "RUNNING",
        RunState::Succeeded => SUCCEEDED,
        RunState::Failed => FAILED,
        RunState::Cancelled => CANCELLED,
    }
}

fn step(sealer: &Sealer, record: &PipelineRecord, number: usize, running: Option<&Value>) -> Value {
    // Plan and run have a step for each number, so `null` is never seen.
    let Some(planned) = record.plan.steps.get(number) else {
        return Value::Null;
    };
    let Some(run) = record.run.steps.get(number) else {
        return Value::Null;
    };
    let owner = &record.fixed.name.subject;
    let task_id = |task: &Value| Some(json!(TaskName::deserialize(task).ok()?.seal(sealer, owner)));
    let (task, outputs, error) = match &run.state {
        StepState::Running { task } => (Some(task), None, None),
        StepState::Succeeded { task, outputs, .. } => (Some(task), Some(outputs), None),
        StepState::Failed { task, error } => (task.as_ref(), None, Some(error)),
        StepState::Unknown { error } => (None, None, Some(error)),
        StepState::Cancelled { error } => (None, None, error.as_ref()),
        StepState::Waiting { .. } | StepState::Creating { .. } | StepState::Skipped => {
            (None, None, None)
        }
    };
    let mut uses: Vec<&str> = Vec::new();
    for used in planned
        .references
        .iter()
        .filter_map(|reference| record.plan.steps.get(reference.step))
    {
        if !uses.contains(&used.name.as_str()) {
            uses.push(&used.name);
        }
    }
    let running = running.filter(|_| matches!(run.state, StepState::Running { .. }));
    let of_task = |name: &str| running.and_then(|task| task.get(name)).cloned();
    let warnings = match &run.state {
        StepState::Succeeded { warnings, .. } if !warnings.is_empty() => Some(json!(warnings)),
        _ => of_task("warnings"),
    };
    let outputs = outputs.map_or_else(|| json!([]), |outputs| sealed(sealer, owner, outputs));
    Value::Object(present([
        ("name", Some(json!(planned.name))),
        ("capability", Some(json!(planned.capability.name()))),
        ("state", Some(json!(run.state.name()))),
        ("uses", Some(json!(uses))),
        ("outputs", Some(outputs)),
        ("task_id", task.and_then(task_id)),
        ("progress", of_task("progress")),
        ("eta", of_task("eta")),
        ("unanswered_since", of_task("unanswered_since")),
        ("warnings", warnings),
        ("error", error.cloned()),
    ]))
}

/// Returns outputs with sealed asset ids. The run stores the upstream's own ids.
fn sealed(sealer: &Sealer, owner: &Subject, outputs: &Value) -> Value {
    let mut outputs = outputs.clone();
    for output in outputs.as_array_mut().into_iter().flatten() {
        if let Some(id) = output["asset_id"].as_str() {
            output["asset_id"] = sealer.seal(owner, "asset", id).into();
        }
    }
    outputs
}
