//! Carries out one action of a run. An action may be interrupted at any point, and repeated.

use std::rc::Rc;
use std::time::Duration;

use mediagate_access::crypto::hash;
use mediagate_access::identity::Subject;
use mediagate_access::refusal::Refusal;
use mediagate_core::{Outcome, Reason, SUCCEEDED, is_terminal, lifetime};
use mediagate_ids::{Sealer, TaskName, TaskRef};
use mediagate_messages::ledger::Create;
use mediagate_messages::transfer::{Move, TransferReport, TransferSource, send_to_transfer};
use mediagate_messages::watcher::{WatchedTask, subscribe_to_task};
use mediagate_messages::{LedgerClient, Pauses, StreamRequest, TaskEvent, TaskEvents, output_url};
use mediagate_pipeline::{Action, RunEvent, StepState};
use mediagate_platform::{now_ms, timestamp_ms};
use mediagate_settings::Settings;
use mediagate_upstream_client::{CreateBody, Upstream};
use serde::Deserialize;
use serde_json::{Value, json};
use worker::Delay;

use super::object::Inner;
use super::refusals::{error, event_of};

/// The pause between two reads of a transfer's progress. Its object also waits some seconds.
const PROGRESS_PAUSE: Duration = Duration::from_secs(2);
/// The most transfers of an output. Only a transfer with a retryable refusal is repeated.
const MAX_TRANSFERS: u32 = 3;
/// The pause before a failed transfer is repeated. The transfer's object reports the failure for
/// ten seconds, and begins again after that.
const TRANSFER_PAUSE: Duration = Duration::from_secs(12);
const MAX_STREAM_MS: f64 = 5.0 * 60.0 * 1000.0;
/// The shortest pause before a task that the upstream refuses is read again.
const UNREADABLE_PAUSE: Duration = Duration::from_secs(30);
/// The most bytes of a step's outputs, and of a task's error, that are stored as JSON.
const MAX_OUTPUTS_BYTES: usize = 500_000;
const MAX_ERROR_BYTES: usize = 10_000;
/// The time within which a create may be repeated under its key.
const KEY_LASTS_MS: i64 = lifetime::SURELY_KNOWN_MS as i64;

/// Carries out an action, and returns the resulting event. Waits without a limit for other objects
/// that can't be reached.
pub(super) async fn act(inner: &Rc<Inner>, upstream: &Upstream, action: Action) -> RunEvent {
    match action {
        Action::Begin { step, .. } => begin(inner, upstream, step),
        Action::Move {
            step,
            reference,
            task,
            output,
        } => move_output(inner, upstream, (step, reference), &task, output).await,
        Action::Send { step, attempt } => send(inner, upstream, step, attempt).await,
        Action::Follow { step, task } => follow(inner, upstream, step, &task).await,
    }
}

fn begin(inner: &Inner, upstream: &Upstream, step: usize) -> RunEvent {
    inner.revoked(upstream).unwrap_or(RunEvent::Begun { step })
}

async fn move_output(
    inner: &Inner,
    upstream: &Upstream,
    (step, reference): (usize, usize),
    task: &Value,
    output: u32,
) -> RunEvent {
    if let Some(revoked) = inner.revoked(upstream) {
        return revoked;
    }
    let Ok(task) = TaskName::deserialize(task) else {
        return unreadable(step);
    };
    let kind = kind_of_reference(inner, step, reference);
    let mut pauses = Pauses::default();
    let mut attempts = 0;
    loop {
        let moved = transfer(inner, upstream, &task, output, kind.as_deref()).await;
        let refusal = match moved {
            Ok(TransferReport::Done { file_id, .. }) => {
                return RunEvent::Moved {
                    step,
                    reference,
                    id: file_id,
                };
            }
            Ok(TransferReport::Running { .. }) => {
                pauses = Pauses::default();
                Delay::from(PROGRESS_PAUSE).await;
                continue;
            }
            Ok(TransferReport::Failed(refusal)) => refusal,
            // An object did not respond. That does not count as an attempt.
            Err(refusal) if refusal.status == 500 || refusal.is(Reason::Busy) => {
                pauses.wait().await;
                continue;
            }
            Err(refusal) => refusal,
        };
        attempts += 1;
        if attempts >= MAX_TRANSFERS || !refusal.code.is_retryable() {
            return RunEvent::Failed {
                step,
                error: error(refusal),
            };
        }
        Delay::from(TRANSFER_PAUSE).await;
    }
}

/// The kind of file that the field of a step's reference takes.
fn kind_of_reference(inner: &Inner, step: usize, reference: usize) -> Option<String> {
    inner.read(|record| {
        let reference = record.plan.steps.get(step)?.references.get(reference)?;
        Some(reference.field.kind.media()?.name().to_owned())
    })?
}

/// Begins the transfer of an output, or reads the progress of a running one.
async fn transfer(
    inner: &Inner,
    upstream: &Upstream,
    task: &TaskName,
    output: u32,
    kind: Option<&str>,
) -> Result<TransferReport, Refusal> {
    let settings = &upstream.settings;
    let subject = inner.subject();
    let url = output_url(&inner.env, settings, &subject, task, output).await?;
    let request = Move {
        subject,
        source: TransferSource::Output {
            task: task.clone(),
            output,
            url,
            content_type: None,
            kind: kind.map(ToOwned::to_owned),
            needs_type: false,
        },
    };
    send_to_transfer(&inner.env, &settings.tenant, &request).await
}

/// Sends a create under a key of its step and attempt. The ledger sends it to the upstream once,
/// even if it arrives more often.
async fn send(inner: &Inner, upstream: &Upstream, step: usize, attempt: u32) -> RunEvent {
    let ledgers = LedgerClient::new(&inner.env, &upstream.settings);
    let mut pauses = Pauses::default();
    loop {
        let Some((command, begun_at)) = inner.create_command(&upstream.settings, step, attempt)
        else {
            return unreadable(step);
        };
        if timestamp_ms() - begun_at > KEY_LASTS_MS {
            let message = "the gateway was interrupted for too long while it created this; \
                           whether the task exists is unknown";
            let refusal = Refusal::new(Reason::Interrupted, message);
            return RunEvent::Lost {
                step,
                error: error(refusal.of_create(Outcome::Unknown)),
            };
        }
        let subject = command.subject.clone();
        let event = match ledgers.create(command).await.outcome {
            Ok(data) => Some(created(&upstream.sealer, &subject, step, &data["task"])),
            Err(refusal) => event_of(step, refusal, inner.postponed(step), timestamp_ms()),
        };
        match event {
            Some(event) => return event,
            None => pauses.wait().await,
        }
    }
}

fn created(sealer: &Sealer, subject: &Subject, step: usize, task: &Value) -> RunEvent {
    let sealed = task["id"].as_str().unwrap_or_default();
    match TaskName::unseal(sealer, subject, sealed) {
        Some(name @ TaskName::Upstream(_)) => RunEvent::Created {
            step,
            task: json!(name),
        },
        // The response had the result itself, and no task.
        Some(name) => ended(sealer, subject, step, &json!(name), task),
        None => unreadable(step),
    }
}

async fn follow(inner: &Rc<Inner>, upstream: &Upstream, step: usize, name: &Value) -> RunEvent {
    let Ok(TaskName::Upstream(task)) = TaskName::deserialize(name) else {
        return unreadable(step);
    };
    let subject = inner.subject();
    let mut pauses = Pauses::default();
    loop {
        let Some(mut events) = subscribe(inner, upstream, &subject, task.clone()).await else {
            pauses.wait().await;
            continue;
        };
        let until = now_ms() + MAX_STREAM_MS;
        loop {
            match events.next(until).await {
                TaskEvent::Task(data)
                    if data["task"]["state"].as_str().is_some_and(is_terminal) =>
                {
                    return ended(&upstream.sealer, &subject, step, name, &data["task"]);
                }
                TaskEvent::Task(data) if data["task"]["unfinished"] == true => {
                    let refusal = Refusal::from(Reason::TaskUnfinished);
                    return RunEvent::Failed {
                        step,
                        error: error(refusal),
                    };
                }
                TaskEvent::Task(data) => inner.progressed(step, &data["task"]),
                TaskEvent::Heartbeat => {}
                TaskEvent::Refused(envelope)
                    if envelope["data"]["reason"] == Reason::UnknownTask.name() =>
                {
                    return RunEvent::Failed {
                        step,
                        error: error(Refusal::from(Reason::UnknownTask)),
                    };
                }
                // The task may still run, for example while the operator replaces an API key.
                TaskEvent::Refused(_) => {
                    pauses.wait_at_least(UNREADABLE_PAUSE).await;
                    break;
                }
                TaskEvent::End => {
                    pauses = Pauses::default();
                    break;
                }
            }
        }
    }
}

async fn subscribe(
    inner: &Inner,
    upstream: &Upstream,
    subject: &Subject,
    task: TaskRef,
) -> Option<TaskEvents> {
    let stream = StreamRequest {
        last_event_id: 0,
        until: (now_ms() + MAX_STREAM_MS) as i64,
        client: None,
    };
    let public_url = inner.read(|record| record.fixed.public_url.clone())?;
    let watched = WatchedTask {
        task,
        subject: subject.clone(),
        public_url,
        label: None,
    };
    let response = subscribe_to_task(&inner.env, &upstream.settings, watched, stream)
        .await
        .ok()?;
    Some(TaskEvents::new(&response.body()?))
}

/// Returns the event of a task's last record, whose ids are sealed. `name` is the task's
/// [`TaskName`] as JSON.
fn ended(sealer: &Sealer, subject: &Subject, step: usize, name: &Value, task: &Value) -> RunEvent {
    if task["state"] != SUCCEEDED {
        let error = match &task["error"] {
            error @ Value::Object(_) if error.to_string().len() <= MAX_ERROR_BYTES => error.clone(),
            _ => {
                let message = format!("the task ended as {}", task["state"]);
                json!({"reason": "task_failed", "message": message})
            }
        };
        return RunEvent::Failed { step, error };
    }
    let mut outputs = few(&task["outputs"]);
    // Outputs become parts of bodies, which need the upstream's own ids.
    for output in outputs.as_array_mut().into_iter().flatten() {
        let id = output["asset_id"]
            .as_str()
            .and_then(|sealed| sealer.unseal(subject, "asset", sealed));
        if let Some(id) = id {
            output["asset_id"] = id.into();
        }
    }
    RunEvent::Ended {
        step,
        task: name.clone(),
        outputs,
        // The gateway bounds their number and their length when it reads the record.
        warnings: Vec::deserialize(&task["warnings"]).unwrap_or_default(),
    }
}

/// Returns the first outputs, as many as fit into a row of the database.
fn few(outputs: &Value) -> Value {
    let mut few = Vec::new();
    let mut bytes = 0;
    for output in outputs.as_array().into_iter().flatten() {
        bytes += output.to_string().len();
        if bytes > MAX_OUTPUTS_BYTES {
            break;
        }
        few.push(output.clone());
    }
    Value::Array(few)
}

/// Returns the event for a stored task that can't be read. No build writes such a task.
fn unreadable(step: usize) -> RunEvent {
    RunEvent::Failed {
        step,
        error: error(Refusal::from(Reason::PipelineFailed)),
    }
}

fn key(token: &str, step: &str, attempt: u32) -> String {
    hash(&["pipeline", token, step, &attempt.to_string()])
}

impl Inner {
    /// Returns the event that stops the run, if the token that it started with was revoked.
    fn revoked(&self, upstream: &Upstream) -> Option<RunEvent> {
        self.is_revoked(upstream).then(|| {
            let message = "the session token that the pipeline started with was revoked; \
                           resume it with a new one";
            let refusal = Refusal::new(Reason::RevokedToken, message);
            RunEvent::Stopped {
                error: Some(error(refusal)),
            }
        })
    }

    fn postponed(&self, step: usize) -> u32 {
        let postponed = self.read(|record| match record.run.steps.get(step)?.state {
            StepState::Creating { postponed, .. } => Some(postponed),
            _ => None,
        });
        postponed.flatten().unwrap_or_default()
    }

    /// Returns a step's create for the ledger, and the time at which the step began.
    fn create_command(
        &self,
        settings: &Settings,
        step: usize,
        attempt: u32,
    ) -> Option<(Create, i64)> {
        self.read(|record| {
            let planned = record.plan.steps.get(step)?;
            let input = record.run.steps.get(step)?.state.body()?;
            let body = CreateBody::new(planned.capability, input);
            let name = &record.fixed.name;
            let grant = record.lifecycle.grant.clone();
            let command = Create {
                subject: name.subject.clone(),
                capability: planned.capability.name().to_owned(),
                key: Some(key(&record.fixed.token, &planned.name, attempt)),
                body,
                budget: grant.budget,
                watch: grant.watch,
                public_url: record.fixed.public_url.clone(),
                pool: grant.pool,
                pipeline: Some(name.name.clone()),
                expected: settings.prices.expected(planned.capability, input),
                excluded: None,
            };
            let begun_at = record.begun_at.get(&step).copied().unwrap_or_default();
            Some((command, begun_at))
        })?
    }
}
