//! Runs a create: admits it, submits it to the upstream once, and stores its end.

use std::cell::Cell;
use std::rc::Rc;

use futures_util::FutureExt;
use mediagate_access::identity::Subject;
use mediagate_access::refusal::Refusal;
use mediagate_core::{Capability, Outcome, Reason, find};
use mediagate_ids::{EntryRef, TaskName, TaskRef};
use mediagate_messages::ledger::{Create, CreateResponse, cost_of, create_key};
use mediagate_messages::transfer::keep_outputs;
use mediagate_messages::watcher::{WatchedTask, notify_of_result, watch_to_end};
use mediagate_messages::{BUSY_SECONDS, LedgerClient, Pauses};
use mediagate_platform::{CreateUnderWay, are_objects_shared, log, random_name, timestamp_ms};
use mediagate_settings::Settings;
use mediagate_upstream_client::{Submission, Upstream};
use serde_json::Value;

use super::object::{Inner, SharedResponse};
use super::policy::Admission;
use super::settlement::settlement;
use super::store::CreateRecord;

/// The attempts to reach an object, within about a quarter of an hour in all: it is refused for
/// seconds while many are open, and again if the burst goes on.
const ATTEMPTS: u32 = 10;

/// The most creates of this subject at once while many objects are open: each create opens a
/// watcher when the upstream responds.
const MAX_AT_ONCE: usize = 50;

impl Inner {
    pub(super) async fn create(self: Rc<Self>, command: Create) -> worker::Result<CreateResponse> {
        let Some(capability) = find(&command.capability) else {
            return Ok(not_sent(Refusal::from(Reason::CapabilityFailed)));
        };
        let key = match &command.key {
            Some(key) => create_key(capability, key),
            None => random_name(),
        };
        let group = capability.group();
        let budget = command.budget;
        let excluded = command.exclusion();
        let under_way = self.in_progress.borrow().get(&key).cloned();
        let is_full = self.in_progress.borrow().len() >= MAX_AT_ONCE && are_objects_shared();
        // A repetition gets the outcome that is stored, or waits for it.
        if is_full && under_way.is_none() && !self.policy.has(&key, timestamp_ms())? {
            return Ok(not_sent(Refusal::busy(BUSY_SECONDS)));
        }
        let record = CreateRecord {
            fingerprint: Some(command.body.fingerprint.clone()),
            capability: Some(command.capability.clone()),
            title: command.body.title.clone(),
            expected: command.expected,
            ..CreateRecord::unsettled(key, group, timestamp_ms())
        };
        // No `await` from here until `start` has stored the submission in `in_progress`. A
        // repetition in between would find a create that nobody submits.
        let admission =
            self.policy
                .admit(record, &budget, under_way.is_some(), excluded.is_some())?;
        let response = match admission {
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
                Some(response) => CreateResponse::replay(response.await.outcome),
                // The store has the key again, right after it was forgotten.
                None => not_sent(Refusal::from(Reason::LedgerFailed)),
            },
            Admission::Interrupted(record) => self.settle_interrupted(record)?,
            Admission::KeyReused => not_sent(Refusal::from(Reason::IdempotencyKeyReused)),
            // Without a refusal, nothing is excluded.
            Admission::Excluded => {
                not_sent(excluded.unwrap_or_else(|| Refusal::from(Reason::LedgerFailed)))
            }
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
        command: Create,
    ) -> CreateResponse {
        // The create now counts itself. If this fails, it is counted twice, also as planned, which
        // refuses too much rather than too little.
        self.change_planned(&command, capability, -1);
        let key = record.key.clone();
        let response: SharedResponse = Rc::clone(&self)
            .submit_and_settle(record, entry, capability, command)
            .boxed_local()
            .shared();
        self.in_progress.borrow_mut().insert(key, response.clone());
        self.storage.wait_until(response.clone().map(drop));
        response.await
    }

    /// Returns true if a create opens a watcher when it has its response.
    fn opens_watcher(&self, command: &Create) -> bool {
        let upstream = Upstream::shared(&self.env);
        upstream.is_ok_and(|upstream| is_watched(command, &upstream.settings))
    }

    async fn submit_and_settle(
        self: Rc<Self>,
        record: CreateRecord,
        entry: EntryRef,
        capability: &'static Capability,
        command: Create,
    ) -> CreateResponse {
        let under_way = self.opens_watcher(&command).then(CreateUnderWay::begin);
        let upstream_ms = Cell::new(0.0);
        let submission = self
            .submit(capability, &command, entry, &upstream_ms)
            .await
            .unwrap_or_else(Submission::not_sent);
        let submission = self.store_media(entry, submission);
        // If this fails, the record stays unsettled. The next attempt finds it interrupted.
        let _ = self.settle(record, &submission);
        if !submission.may_be_charged {
            self.change_planned(&command, capability, 1);
            // If this fails, the alarm deletes the object.
            let _ = self.delete_if_empty().await;
        }
        let Submission {
            outcome,
            task,
            result,
            ..
        } = submission;
        // The response does not wait for this.
        let follow = Rc::clone(&self).follow(entry, capability, command, task, result);
        self.storage.wait_until(follow.map(|()| drop(under_way)));
        CreateResponse::new(outcome, upstream_ms.get())
    }

    /// Submits a create to the upstream. If the caller is anonymous, the shared ledger counts the
    /// create first. Fails if the create was not sent.
    async fn submit(
        self: &Rc<Self>,
        capability: &Capability,
        command: &Create,
        entry: EntryRef,
        upstream_ms: &Cell<f64>,
    ) -> Result<Submission, Refusal> {
        // Without an alarm the record would never be removed, so nothing is submitted.
        if self.ensure_alarm().await.is_err() {
            return Err(Refusal::from(Reason::LedgerFailed));
        }
        let upstream = Upstream::try_shared(&self.env)?;
        let ledgers = LedgerClient::new(&self.env, &upstream.settings);
        let reservation = match command.pool {
            None => None,
            Some(pool) => Some(
                ledgers
                    .reserve(&command.subject, capability.group(), pool, command.expected)
                    .await?,
            ),
        };
        let submission = upstream
            .client(&command.subject, &command.public_url, upstream_ms)
            .submit(capability, &command.body, entry)
            .await
            .unwrap_or_else(Submission::not_sent);
        match reservation {
            Some(key) if submission.may_be_charged => {
                self.charge_pool(Rc::clone(&upstream), key, &submission);
            }
            // Release before the response, or a repeated create finds the budget used up by this
            // one.
            Some(key) => ledgers.release(&key).await,
            None => {}
        }
        Ok(submission)
    }

    /// Counts a reservation as charged, without delaying the response.
    fn charge_pool(self: &Rc<Self>, upstream: Rc<Upstream>, key: String, submission: &Submission) {
        let is_running = submission.is_running;
        let task = submission.task.as_ref().filter(|_| is_running);
        let task = task.map(|task| task.id.clone());
        let cost = submission.summary.as_ref().and_then(cost_of);
        let inner = Rc::clone(self);
        self.storage.wait_until(async move {
            LedgerClient::new(&inner.env, &upstream.settings)
                .charge(key, task, is_running, cost)
                .await;
        });
    }

    /// Stores the media of a submission's response. If this fails and they are the only outputs,
    /// returns a refusal with an unknown outcome: the create was accepted, but its result is lost.
    fn store_media(&self, entry: EntryRef, submission: Submission) -> Submission {
        let name = TaskName::Entry(entry);
        if self.media.store(&name, &submission.media, None).is_ok() {
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

    fn settle(&self, record: CreateRecord, submission: &Submission) -> worker::Result<()> {
        self.in_progress.borrow_mut().remove(&record.key);
        let now = timestamp_ms();
        let end = settlement(submission, now);
        self.policy.settle(record, end, now)
    }

    fn settle_interrupted(&self, record: CreateRecord) -> worker::Result<CreateResponse> {
        let refusal = Refusal::from(Reason::Interrupted);
        let submission = Submission::refused(refusal, Outcome::Unknown);
        self.settle(record, &submission)?;
        Ok(CreateResponse::replay(submission.outcome))
    }

    /// Adds `by` to the planned creates of the pipeline that sends the create, if there is one.
    fn change_planned(&self, command: &Create, capability: &Capability, by: i32) {
        if let Some(name) = &command.pipeline {
            // If this fails, the number is wrong until the pipeline ends.
            let _ = self.pipelines.change_planned(name, capability.group(), by);
        }
    }

    async fn follow(
        self: Rc<Self>,
        entry: EntryRef,
        capability: &Capability,
        command: Create,
        task: Option<TaskRef>,
        result: Option<Value>,
    ) {
        let Ok(upstream) = Upstream::shared(&self.env) else {
            // Nothing was sent with settings that can't be read, so there is nothing to follow.
            return;
        };
        let settings = &upstream.settings;
        let has_webhooks = !settings.webhook_urls.is_empty();
        if let Some(result) = result {
            let name = TaskName::Entry(entry);
            let label = command.body.label.as_deref();
            self.keep_result(settings, &command.subject, &name, label, &result)
                .await;
            if has_webhooks {
                // An entry is unique for its subject only, and the id of a message for everybody.
                let [kind, entry_key] = name.key();
                let id = command.subject.hash_with(&[&kind, &entry_key]);
                let watched = WatchedTask {
                    task: TaskRef::new(capability.group(), &id),
                    subject: command.subject,
                    public_url: command.public_url,
                    label: None,
                };
                self.reach_watcher(settings, watched, Some((entry, result)))
                    .await;
            }
        } else if let Some(task) = task.filter(|_| is_watched(&command, settings)) {
            let watched = WatchedTask {
                task,
                subject: command.subject,
                public_url: command.public_url,
                label: command.body.label,
            };
            self.reach_watcher(settings, watched, None).await;
        }
    }

    /// Requests that the outputs of a result are kept, until there is room. If there is none for a
    /// quarter of an hour, the next read requests it again.
    async fn keep_result(
        &self,
        settings: &Settings,
        owner: &Subject,
        name: &TaskName,
        label: Option<&str>,
        result: &Value,
    ) {
        let mut pauses = Pauses::default();
        for _ in 0..ATTEMPTS {
            let record = &result["task"];
            let kept = keep_outputs(&self.env, settings, owner, name, label, record, &[]).await;
            if kept.is_ok() {
                return;
            }
            pauses.wait().await;
        }
    }

    /// Has a task watched to its end without a subscriber, or the result of a create that has ended
    /// notified. The token can require this, and webhooks and kept results depend on it.
    async fn reach_watcher(
        &self,
        settings: &Settings,
        watched: WatchedTask,
        ended: Option<(EntryRef, Value)>,
    ) {
        let mut pauses = Pauses::default();
        for attempt in 0..ATTEMPTS {
            if attempt > 0 {
                pauses.wait().await;
            }
            let watched = watched.clone();
            let sent = match ended.clone() {
                Some((entry, result)) => {
                    notify_of_result(&self.env, settings, watched, entry, result).await
                }
                None => watch_to_end(&self.env, settings, watched).await,
            };
            if sent.is_ok() {
                return;
            }
        }
        log(concat!(
            r#"{"operation":"watch","#,
            r#""problem":"a new task's watcher can't be reached; its end is not notified"}"#,
        ));
    }
}

fn is_watched(command: &Create, settings: &Settings) -> bool {
    // Nobody else may see the cost of a task that its caller does not follow.
    command.needs_price()
        || command.watch
        || !settings.webhook_urls.is_empty()
        || settings.results.is_some()
}

fn not_sent(refusal: Refusal) -> CreateResponse {
    CreateResponse::new(Err(refusal.of_create(Outcome::NotSent)), 0.0)
}
