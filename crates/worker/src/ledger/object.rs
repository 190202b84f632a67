//! The Durable Object of a ledger: its storage, and the creates that it is submitting.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::{LocalBoxFuture, Shared};
use mediagate_core::{Capability, Group, Outcome, Reason, find};
use serde::Serialize;
use serde_json::json;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen_futures::JsFuture;
use web_sys::{Request, Response};
use worker::Env;
use worker::worker_sys::DurableObjectState;

use super::history::History;
use super::known::Known;
use super::media::Media;
use super::pipelines::Pipelines;
use super::policy::{Admission, CreateAttempt, LedgerPolicy, RETENTION_MS, Settlement};
use super::record::{CreateRecord, EntryResult, NewEntry};
use super::results::Results;
use super::sqlite::{MIGRATIONS, Sqlite, is_empty};
use crate::identity::{Budget, Limit, Planned, Shortage, Taking};
use crate::ids::{EntryRef, TaskName};
use crate::objects::{
    CreateCommand, CreateResponse, HistoryEntry, LedgerClient, LedgerRequest, PipelineEntry,
    Reservation, ResultPlace, ResultReservation, TaskResults, WatchPurpose, WatchRequest,
    create_key, keep_outputs, send_to_watcher,
};
use crate::platform::storage::Storage;
use crate::platform::{log, random_name, timestamp_ms};
use crate::refusal::Refusal;
use crate::upstream::{CreateOutcome, Submission, Upstream};

/// A ledger. The Worker that contains the gateway exports this class, and binds it as `LEDGER`.
///
/// The macro `durable_object` would generate these methods over the worker crate's own requests and
/// responses. They cost each create a dozen more crossings between wasm and JavaScript.
#[wasm_bindgen]
pub struct Ledger(Rc<Inner>);

struct Inner {
    env: Env,
    storage: Rc<Storage>,
    policy: LedgerPolicy<Sqlite>,
    history: History,
    pipelines: Pipelines,
    known: Known,
    media: Media,
    results: Results,
    /// The creates that are being submitted, by key.
    in_progress: RefCell<HashMap<String, SharedSubmission>>,
    /// True if an alarm is certainly set.
    has_alarm: Cell<bool>,
}

/// The shortest time between two removals, in milliseconds: 10 minutes.
const MIN_PRUNE_INTERVAL_MS: i64 = 10 * 60 * 1000;

/// The attempts of a request to a watcher.
const WATCH_ATTEMPTS: u32 = 3;

/// The longest outcome and the longest result that are stored whole, in bytes. Together they must
/// fit into a row, which SQLite limits to 2 MB.
const MAX_OUTCOME_BYTES: usize = 1_000_000;
const MAX_RESULT_BYTES: usize = 900_000;

/// A submission that several callers wait for.
type SharedSubmission = Shared<LocalBoxFuture<'static, CreateResponse>>;

#[wasm_bindgen]
impl Ledger {
    /// Creates the object. The platform calls this when the object starts.
    #[wasm_bindgen(constructor)]
    pub fn new(state: DurableObjectState, env: Env) -> Self {
        let storage = Rc::new(Storage::new(state, MIGRATIONS));
        let policy = LedgerPolicy::new(Sqlite(Rc::clone(&storage)));
        let history = History(Rc::clone(&storage));
        let pipelines = Pipelines(Rc::clone(&storage));
        let known = Known(Rc::clone(&storage));
        let media = Media(Rc::clone(&storage));
        let results = Results(Rc::clone(&storage));
        let in_progress = RefCell::default();
        let has_alarm = Cell::new(false);
        Ledger(Rc::new(Inner {
            env,
            storage,
            policy,
            history,
            pipelines,
            known,
            media,
            results,
            in_progress,
            has_alarm,
        }))
    }

    /// Handles a `LedgerRequest` of the gateway or of another object. Request and response are
    /// JSON.
    ///
    /// # Errors
    /// Those of the storage.
    pub async fn fetch(&self, request: Request) -> Result<Response, JsValue> {
        let text = JsFuture::from(request.text()?)
            .await?
            .as_string()
            .unwrap_or_default();
        let body = Rc::clone(&self.0).handle(&text).await?;
        Response::new_with_opt_str(Some(&body))
    }

    /// Removes all that is too old, and sets the alarm for the next removal. If nothing is left,
    /// the object is deleted. If a removal fails, the alarm is set for the next day.
    ///
    /// # Errors
    /// Those of the storage.
    pub async fn alarm(&self) -> Result<(), JsValue> {
        let now = timestamp_ms();
        let next = self.0.prune(now);
        self.0.has_alarm.set(false);
        match next {
            Ok(None) => self.0.storage.delete_all().await?,
            Ok(Some(at)) => {
                self.0
                    .set_alarm((at - now).max(MIN_PRUNE_INTERVAL_MS))
                    .await?
            }
            Err(_) => self.0.set_alarm(RETENTION_MS).await?,
        }
        Ok(())
    }
}

impl Inner {
    async fn handle(self: Rc<Self>, request: &str) -> worker::Result<String> {
        let request: LedgerRequest = serde_json::from_str(request)?;
        // An empty object must not create its tables for a change that finds no row.
        if request.only_changes() && self.storage.is_empty()? {
            return to_json(&());
        }
        match request {
            LedgerRequest::Create(command) => to_json(&self.create(*command).await?),
            // A ledger reserves here before it stores anything itself, so a reservation is enough.
            LedgerRequest::Knows { ledger } => {
                to_json(&(self.known.has(&ledger)? || self.policy.has_prefix(&ledger)?))
            }
            LedgerRequest::HasPipeline { name } => to_json(&self.pipelines.has(&name)?),
            LedgerRequest::Has { key } => to_json(&self.policy.has(&key, timestamp_ms())?),
            LedgerRequest::IsUsedUp {
                ledger,
                group,
                budget,
            } => to_json(
                &self
                    .policy
                    .used_up(&ledger, group, &budget, timestamp_ms())?,
            ),
            LedgerRequest::Reserve { key, group, budget } => {
                to_json(&self.reserve(&key, group, &budget).await?)
            }
            LedgerRequest::Charge {
                key,
                task,
                is_running,
            } => {
                self.known.note(&key, timestamp_ms())?;
                let settlement = Settlement::Kept {
                    outcome: None,
                    task,
                    is_running,
                    result: None,
                };
                to_json(&self.policy.settle_key(&key, settlement, timestamp_ms())?)
            }
            LedgerRequest::Release { key } => to_json(&self.policy.settle_key(
                &key,
                Settlement::Released,
                timestamp_ms(),
            )?),
            LedgerRequest::Take(taking) => {
                let refused = self.policy.take(&taking, timestamp_ms())?;
                if refused.is_none() {
                    self.ensure_alarm().await?;
                }
                to_json(&refused)
            }
            LedgerRequest::Free {
                group,
                task,
                summary,
            } => {
                let is_new = match summary {
                    Some(summary) => self.history.end(group, &task, &summary, timestamp_ms())?,
                    None => false,
                };
                self.policy.free(group, &task)?;
                to_json(&is_new)
            }
            LedgerRequest::List { before, limit } => to_json(&self.list(before, limit)?),
            LedgerRequest::Result(entry) => to_json(&self.history.result(entry)?),
            LedgerRequest::MediumPart {
                entry,
                position,
                part,
            } => to_json(&self.media.part(entry, position, part)?),
            LedgerRequest::Shortage { planned, budget } => to_json(&self.policy.shortage(
                planned,
                Planned::default(),
                &budget,
                timestamp_ms(),
            )?),
            LedgerRequest::ReservePipeline(entry) => to_json(&self.reserve_pipeline(&entry).await?),
            LedgerRequest::CountPipeline(entry) => to_json(&self.count_pipeline(&entry).await?),
            LedgerRequest::ChangePlanned { name, planned } => {
                to_json(&self.pipelines.set_planned(&name, planned)?)
            }
            LedgerRequest::EndPipeline { name, state } => {
                to_json(&self.pipelines.end(&name, &state, timestamp_ms())?)
            }
            LedgerRequest::ForgetPipeline { name } => to_json(&self.pipelines.forget(&name)?),
            LedgerRequest::Forget { task, is_gone } => {
                let stays = self.history.forget(&task, is_gone)?;
                if !stays {
                    self.results.remove_all(&task)?;
                }
                to_json(&stays)
            }
            LedgerRequest::ReserveResult {
                place,
                task,
                size,
                expires_at,
                max_bytes,
            } => {
                let now = timestamp_ms();
                // The caller may have removed the task while its output was moved.
                if let Some(task) = task
                    && self.results.source_of(&task)?.is_none()
                {
                    return to_json(&ResultReservation::Unwanted);
                }
                let reservation = self
                    .results
                    .reserve(&place, size, expires_at, max_bytes, now)?;
                self.ensure_alarm().await?;
                to_json(&reservation)
            }
            LedgerRequest::KeepResult { place, kept } => {
                to_json(&self.results.settle(&place, kept)?)
            }
            LedgerRequest::LoseResult {
                place,
                reason,
                expires_at,
            } => {
                self.results.lose(&place, reason, expires_at)?;
                self.ensure_alarm().await?;
                to_json(&())
            }
            LedgerRequest::RemoveResult(place) => to_json(&self.results.remove(&place)?),
            LedgerRequest::Results(task) => {
                let key = ResultPlace::task_key(&task);
                let states = self.results.of_tasks(&[key], timestamp_ms())?;
                let by_position = |(place, state): (ResultPlace, _)| (place.position, state);
                to_json(&TaskResults {
                    states: states.into_iter().map(by_position).collect(),
                    source: self.results.source_of(&task)?,
                })
            }
        }
    }

    /// Returns the newest entries of the history, with the states of their kept results.
    fn list(&self, before: Option<i64>, limit: u32) -> worker::Result<Vec<HistoryEntry>> {
        let is_in_progress = |key: &str| self.in_progress.borrow().contains_key(key);
        let mut entries = self.history.list(before, limit, is_in_progress)?;
        let keys: Vec<_> = entries
            .iter()
            .map(|entry| ResultPlace::task_key(&entry.task_name()))
            .collect();
        for (place, state) in self.results.of_tasks(&keys, timestamp_ms())? {
            let of_task = keys.iter().position(|key| *key == place.task);
            if let Some(entry) = of_task.and_then(|index| entries.get_mut(index)) {
                entry.results.push((place.position, state));
            }
        }
        Ok(entries)
    }

    /// Counts a create of another ledger. Returns the limit that is used up, if there is one.
    async fn reserve(
        &self,
        key: &str,
        group: Group,
        budget: &Budget,
    ) -> worker::Result<Option<Limit>> {
        let attempt = CreateAttempt {
            key,
            fingerprint: None,
            entry: None,
            group,
            budget,
            // A reservation has no body. As a create in progress it is never replayed or settled.
            is_in_progress: true,
        };
        if let Admission::Exhausted(limit) = self.policy.admit(attempt, timestamp_ms())? {
            return Ok(Some(limit));
        }
        if let Err(error) = self.ensure_alarm().await {
            // Without an alarm the reservation would never be removed.
            self.policy
                .settle_key(key, Settlement::Released, timestamp_ms())?;
            return Err(error);
        }
        Ok(None)
    }

    /// Reserves a place for a pipeline.
    async fn reserve_pipeline(&self, entry: &PipelineEntry) -> worker::Result<Reservation> {
        let now = timestamp_ms();
        // Two requests with one key may start this pipeline.
        if self.pipelines.is_running(&entry.name, now)? {
            return Ok(Reservation::Existing);
        }
        let others = match self.pipelines.admit(entry, now)? {
            Ok(others) => others,
            Err(limit) => return Ok(Reservation::Refused(Shortage { limit, needed: 1 })),
        };
        if let Some(shortage) = self
            .policy
            .shortage(entry.planned, others, &entry.budget, now)?
        {
            return Ok(Reservation::Refused(shortage));
        }
        // Starts are counted outside the history, since the caller can remove entries from it.
        if let Some(limit) = self.policy.refused(&Pipelines::start(entry), now)? {
            return Ok(Reservation::Refused(Shortage { limit, needed: 1 }));
        }
        self.pipelines.reserve(entry, now)?;
        self.ensure_alarm().await?;
        Ok(Reservation::New)
    }

    /// Counts a running pipeline and its start. The limits were checked when its place was
    /// reserved.
    async fn count_pipeline(&self, entry: &PipelineEntry) -> worker::Result<()> {
        let now = timestamp_ms();
        if self.pipelines.count(entry, now)? {
            let start = Taking {
                max: None,
                ..Pipelines::start(entry)
            };
            self.policy.take(&start, now)?;
        }
        self.known.note(&entry.name, now)?;
        self.ensure_alarm().await
    }

    async fn create(self: Rc<Self>, command: CreateCommand) -> worker::Result<CreateResponse> {
        let Some(capability) = find(&command.capability) else {
            return Ok(not_sent(Refusal::from(Reason::CapabilityFailed)));
        };
        let key = match &command.key {
            Some(key) => create_key(capability, key),
            None => random_name(),
        };
        let group = capability.group();
        let budget = command.budget;
        let under_way = self.in_progress.borrow().get(&key).cloned();
        let attempt = CreateAttempt {
            key: &key,
            fingerprint: Some(&command.body.fingerprint),
            entry: Some(NewEntry {
                capability: capability.name(),
                title: command.body.title.as_deref(),
            }),
            group,
            budget: &budget,
            is_in_progress: under_way.is_some(),
        };
        let response = match self.policy.admit(attempt, timestamp_ms())? {
            Admission::Granted { record, number } => {
                let entry = EntryRef {
                    number,
                    created_at: record.created_at,
                };
                Rc::clone(&self)
                    .start(record, entry, capability, command)
                    .await
            }
            Admission::Settled(outcome) => CreateResponse::replay(serde_json::from_str(&outcome)?),
            Admission::InProgress => match under_way {
                Some(submission) => CreateResponse::replay(submission.await.outcome),
                None => not_sent(Refusal::from(Reason::LedgerFailed)),
            },
            Admission::Interrupted(record) => self.settle_interrupted(record)?,
            Admission::KeyReused => not_sent(key_reused()),
            Admission::Exhausted(limit) => not_sent(limit.refusal()),
        };
        let limits = self.policy.limits(group, &budget, timestamp_ms())?;
        Ok(CreateResponse { limits, ..response })
    }

    /// Starts a submission, and waits for it. It completes even if its caller goes away.
    async fn start(
        self: Rc<Self>,
        record: CreateRecord,
        entry: EntryRef,
        capability: &'static Capability,
        command: CreateCommand,
    ) -> CreateResponse {
        if let Some(name) = &command.pipeline {
            // The create now counts itself. If this fails, it is counted twice, also as planned,
            // which refuses too much rather than too little.
            let _ = self.pipelines.change_planned(name, capability.group(), -1);
        }
        let key = record.key.clone();
        let submission: SharedSubmission = Rc::clone(&self)
            .submit_and_settle(record, entry, capability, command)
            .boxed_local()
            .shared();
        self.in_progress
            .borrow_mut()
            .insert(key, submission.clone());
        self.storage.wait_until(submission.clone().map(drop));
        submission.await
    }

    /// Submits a create, stores how it ended, and has its task watched.
    async fn submit_and_settle(
        self: Rc<Self>,
        record: CreateRecord,
        entry: EntryRef,
        capability: &'static Capability,
        command: CreateCommand,
    ) -> CreateResponse {
        let upstream_ms = Cell::new(0.0);
        let submission = self.submit(capability, &command, entry, &upstream_ms).await;
        let submission = self.store_media(entry, submission);
        let key = record.key.clone();
        let now = timestamp_ms();
        // If this fails, the record stays unsettled. The next attempt finds it interrupted.
        let _ = self
            .policy
            .settle(record, settlement(&submission, now), now);
        self.in_progress.borrow_mut().remove(&key);
        if let Some(name) = command
            .pipeline
            .as_ref()
            .filter(|_| !submission.may_be_charged)
        {
            let _ = self.pipelines.change_planned(name, capability.group(), 1);
        }
        if !submission.may_be_charged {
            // If this fails, the alarm deletes the object.
            let _ = self.delete_if_empty().await;
        }
        let Ok(upstream) = Upstream::shared(&self.env) else {
            // Nothing was sent with settings that can't be read, so there is nothing to watch.
            return CreateResponse::new(submission.outcome, upstream_ms.get());
        };
        if let Some(result) = submission.result {
            let inner = Rc::clone(&self);
            let upstream = Rc::clone(&upstream);
            let label = command.body.label.clone();
            let owner = command.subject.clone();
            self.storage.wait_until(async move {
                keep_outputs(
                    &inner.env,
                    &upstream.settings,
                    &owner,
                    &TaskName::Entry(entry),
                    label.as_deref(),
                    &result["task"],
                    &[],
                )
                .await;
            });
        }
        let is_watched = command.watch
            || !upstream.settings.webhook_urls.is_empty()
            || upstream.settings.results.is_some();
        if let Some(task) = submission.task.filter(|_| is_watched) {
            let request = WatchRequest {
                task,
                subject: command.subject,
                public_url: command.public_url,
                label: command.body.label,
                purpose: WatchPurpose::WatchToEnd,
            };
            self.storage
                .wait_until(Rc::clone(&self).watch_to_end(upstream, request));
        }
        CreateResponse::new(submission.outcome, upstream_ms.get())
    }

    /// Stores the media of a submission's response. If this fails and they are the only outputs,
    /// returns a refusal with an unknown outcome: the create was accepted, but its result is lost.
    fn store_media(&self, entry: EntryRef, submission: Submission) -> Submission {
        if self.media.store(entry, &submission.media).is_ok() {
            return submission;
        }
        // The URLs of these media respond with 404, but a task and other outputs are still useful.
        let result = submission.result.as_ref();
        let outputs = result.and_then(|result| result["task"]["outputs"].as_array());
        let has_others = outputs.is_some_and(|outputs| outputs.len() > submission.media.len());
        if has_others || submission.task.is_some() {
            return submission;
        }
        let message = "this was created, but its result could not be stored";
        let refusal = Refusal::new(Reason::AnswerTooLarge, message);
        Submission::refused(refusal, Outcome::Unknown)
    }

    /// Requests that a task is watched to its end without a subscriber. The token can require this,
    /// and webhooks and kept results depend on it.
    async fn watch_to_end(self: Rc<Self>, upstream: Rc<Upstream>, request: WatchRequest) {
        for _ in 0..WATCH_ATTEMPTS {
            if send_to_watcher(&self.env, &upstream.settings.tenant, &request)
                .await
                .is_some()
            {
                return;
            }
        }
        log(concat!(
            r#"{"operation":"watch","#,
            r#""problem":"a new task's watcher can't be reached; its end is not notified"}"#,
        ));
    }

    /// Submits a create to the upstream. If its caller is anonymous, the shared ledger counts it
    /// first.
    async fn submit(
        self: &Rc<Self>,
        capability: &Capability,
        command: &CreateCommand,
        entry: EntryRef,
        upstream_ms: &Cell<f64>,
    ) -> Submission {
        // Without an alarm the record would never be removed, so nothing is submitted.
        if self.ensure_alarm().await.is_err() {
            return Submission::not_sent(Refusal::from(Reason::LedgerFailed));
        }
        let upstream = match Upstream::shared(&self.env) {
            Ok(upstream) => upstream,
            Err(error) => return Submission::not_sent(error.into()),
        };
        let ledgers = LedgerClient::new(&self.env, &upstream.settings);
        let reservation = match command.pool {
            None => None,
            Some(pool) => match ledgers
                .reserve(&command.subject, capability.group(), pool)
                .await
            {
                Ok(key) => Some(key),
                Err(refusal) => return Submission::not_sent(refusal),
            },
        };
        let submission = upstream
            .client(&command.subject, &command.public_url, upstream_ms)
            .submit(capability, &command.body, entry)
            .await;
        if let Some(key) = reservation {
            match submission.may_be_charged {
                // Release before the response, or a repeated create finds the budget used up by
                // this one.
                false => ledgers.release(&key).await,
                true => self.charge_pool(Rc::clone(&upstream), key, &submission),
            }
        }
        submission
    }

    /// Removes all that is too old. Returns the time of the next removal, or `None` if nothing is
    /// left.
    fn prune(&self, now: i64) -> worker::Result<Option<i64>> {
        let next_create = self.policy.prune(now)?;
        let tomorrow = now + RETENTION_MS;
        // The settings have the lifetime of the history. Without them, none of it is removed.
        let Ok(upstream) = Upstream::shared(&self.env) else {
            return Ok(Some(next_create.unwrap_or(tomorrow)));
        };
        let settings = &upstream.settings;
        let history_ms = i64::from(settings.history_days) * RETENTION_MS;
        // A day longer than a pipeline may run, so that its end is stored before this removes it.
        // An ended pipeline stays as long.
        let pipelines_ms = (i64::from(settings.pipelines.days) + 1) * RETENTION_MS;
        let oldest = self
            .history
            .prune(now - history_ms, now - history_ms.max(pipelines_ms))?;
        let pipelines = self
            .pipelines
            .prune(now - pipelines_ms, now)?
            .then_some(tomorrow);
        let known = self
            .known
            .prune(now - history_ms.max(pipelines_ms))?
            .then_some(tomorrow);
        let next = [
            next_create,
            // Tomorrow at the latest, to forget the keys of creates that are stored until then.
            oldest.map(|oldest| (oldest + history_ms).min(tomorrow)),
            pipelines,
            known,
            self.results.prune(now)?.map(|first| first.min(tomorrow)),
        ];
        Ok(next.into_iter().flatten().min())
    }

    /// Deletes the object if nothing is stored, so that rejected creates leave nothing behind. Rows
    /// that are too old are left to the alarm, which reads every table.
    async fn delete_if_empty(&self) -> worker::Result<()> {
        if self.in_progress.borrow().is_empty() && is_empty(&self.storage)? {
            self.has_alarm.set(false);
            self.storage.delete_all().await?;
        }
        Ok(())
    }

    /// Counts a reservation as charged, without delaying the response.
    fn charge_pool(self: &Rc<Self>, upstream: Rc<Upstream>, key: String, submission: &Submission) {
        let task = running_id(submission);
        let is_running = submission.is_running;
        let inner = Rc::clone(self);
        self.storage.wait_until(async move {
            LedgerClient::new(&inner.env, &upstream.settings)
                .charge(key, task, is_running)
                .await;
        });
    }

    /// Settles a create whose submission was interrupted. Its outcome is unknown.
    fn settle_interrupted(&self, record: CreateRecord) -> worker::Result<CreateResponse> {
        let refusal = Refusal::from(Reason::Interrupted);
        let submission = Submission::refused(refusal, Outcome::Unknown);
        let now = timestamp_ms();
        self.policy
            .settle(record, settlement(&submission, now), now)?;
        Ok(CreateResponse::replay(submission.outcome))
    }

    /// Sets the alarm that removes the first record, if no alarm is set.
    async fn ensure_alarm(&self) -> worker::Result<()> {
        if !self.has_alarm.get() {
            if !self.storage.has_alarm().await? {
                self.set_alarm(RETENTION_MS).await?;
            }
            self.has_alarm.set(true);
        }
        Ok(())
    }

    async fn set_alarm(&self, after_ms: i64) -> worker::Result<()> {
        self.storage
            .set_alarm(Duration::from_millis(after_ms.unsigned_abs()))
            .await?;
        self.has_alarm.set(true);
        Ok(())
    }
}

/// Returns the part of a submission that the ledger stores.
fn settlement(submission: &Submission, now: i64) -> Settlement {
    if !submission.may_be_charged {
        return Settlement::Released;
    }
    Settlement::Kept {
        outcome: Some(submission.outcome.to_json(MAX_OUTCOME_BYTES)),
        task: submission.task.as_ref().map(|task| task.id.clone()),
        is_running: submission.is_running,
        result: entry_result(submission, now),
    }
}

/// Returns the history's part of a submission, or `None` if there was no readable response.
fn entry_result(submission: &Submission, now: i64) -> Option<EntryResult> {
    let summary = submission.summary.as_ref()?;
    let result = submission.result.as_ref().map(|result| {
        let whole = result.to_string();
        if whole.len() <= MAX_RESULT_BYTES {
            whole
        } else {
            json!({"task": summary}).to_string()
        }
    });
    let origin = submission.task.as_ref().map(|task| json!(task.origin));
    Some(EntryResult {
        origin: origin.map(|origin| origin.to_string()),
        summary: summary.to_string(),
        result,
        ended_at: (!submission.is_running).then_some(now),
    })
}

/// Returns the upstream's id of a task that may be running.
fn running_id(submission: &Submission) -> Option<String> {
    submission
        .task
        .as_ref()
        .filter(|_| submission.is_running)
        .map(|task| task.id.clone())
}

/// Returns the response to a create that is refused before anything is sent.
fn not_sent(refusal: Refusal) -> CreateResponse {
    CreateResponse::new(CreateOutcome::refused(refusal, Outcome::NotSent), 0.0)
}

fn key_reused() -> Refusal {
    Refusal::from(Reason::IdempotencyKeyReused)
}

fn to_json(message: &impl Serialize) -> worker::Result<String> {
    Ok(serde_json::to_string(message)?)
}
