use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use futures_util::future::join_all;
use futures_util::lock::Mutex;
use mediagate_access::refusal::Refusal;
use mediagate_core::{Code, Reason};
use mediagate_ids::{EntryRef, TaskName};
use mediagate_messages::envelope::{envelope, event};
use mediagate_messages::transfer::{Crowded, keep_outputs};
use mediagate_messages::watcher::{Notify, Subscribe, WatchedTask, WatcherMessage};
use mediagate_messages::{
    DurationsClient, LedgerClient, Request as _, StreamRequest, TaskOutputs, Turn, poll_task,
};
use mediagate_platform::storage::{UNREADABLE_RETRY, is_unreadable};
use mediagate_platform::{are_objects_full, log, read_message, spaced, timestamp_ms};
use mediagate_upstream::TaskRecord;
use mediagate_upstream_client::{Upstream, summary};
use serde_json::Value;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;
use web_sys::{Request, Response};
use worker::Env;
use worker::worker_sys::DurableObjectState;

use super::messages::{event_data, webhook_payload};
use super::state::WatchState;
use super::stored_state::StoredState;
use crate::events::{LatestEvent, Subscribers, open, quotas_of};
use crate::webhooks::Message;

const RETENTION: Duration = Duration::from_secs(60 * 60);

/// The longest wait of a poll for its turn, while the rate of polls is limited. If the queue is
/// longer, the poll waits about as long, and then requests a turn again. The limit is short, since
/// a poll with a turn is sent even if the upstream requires a pause in the meantime.
const MAX_TURN_MS: f64 = 10_000.0;

/// The lifetime of read outputs of a task that has ended. Their URLs may expire.
const ENDED_LASTS_MS: i64 = 60_000;

/// The lifetime of read outputs of a running task, or of a failed read.
const RUNNING_LASTS_MS: i64 = 1_000;

/// The delay before an alarm that failed or was interrupted fires again. The platform never runs
/// two alarms of an object in parallel.
const ALARM_RETRY: Duration = Duration::from_secs(10);

/// A watched task. The Worker exports this class, and binds it as `WATCHER`.
#[wasm_bindgen]
pub struct Watcher {
    env: Env,
    subscribers: Subscribers,
    state: StoredState,
    /// The outputs that were read last. The lock makes concurrent requests wait for one read.
    outputs: Mutex<Option<LastRead>>,
}

struct LastRead {
    at: i64,
    outputs: Result<TaskOutputs, Refusal>,
}

impl LastRead {
    /// Returns true if the outputs need not be read again. `has_ended` is true if the watcher has
    /// seen the task's end.
    fn are_fresh(&self, has_ended: bool, now: i64) -> bool {
        let lifetime = match &self.outputs {
            Ok(outputs) if outputs.has_ended => ENDED_LASTS_MS,
            // The outputs are older than the end.
            _ if has_ended => 0,
            _ => RUNNING_LASTS_MS,
        };
        (self.at..self.at + lifetime).contains(&now)
    }
}

#[wasm_bindgen]
impl Watcher {
    #[wasm_bindgen(constructor)]
    pub fn new(state: DurableObjectState, env: Env) -> Self {
        Watcher {
            env,
            subscribers: Subscribers::default(),
            state: StoredState::new(state),
            outputs: Mutex::default(),
        }
    }

    pub async fn fetch(&self, request: Request) -> Result<Response, JsValue> {
        let message: WatcherMessage = read_message(&request).await?;
        if let Err(error) = self.state.load() {
            self.delete_if_damaged(&error).await?;
            return Err(error.into());
        }
        self.learn(message.watched().clone());
        Ok(match message {
            WatcherMessage::Subscribe(Subscribe { stream, .. }) => self.subscribe(&stream).await,
            WatcherMessage::WatchToEnd(request) => {
                request.respond(async |_| self.watch_to_end().await).await
            }
            WatcherMessage::Notify(request) => {
                let notify = async |Notify { entry, result, .. }| self.notify(entry, result).await;
                request.respond(notify).await
            }
            WatcherMessage::ReadOutputs(request) => {
                request.respond(async |_| self.read_outputs().await).await
            }
        }?)
    }

    /// Polls, notifies, delivers, and sets the next alarm, also after a failure.
    pub async fn alarm(&self) -> Result<(), JsValue> {
        let Err(error) = self.on_alarm().await else {
            return Ok(());
        };
        if self.delete_if_damaged(&error).await? {
            return Ok(());
        }
        self.state.reload();
        let is_unreadable = self.state.load().is_err_and(|error| is_unreadable(&error));
        let pause = if is_unreadable {
            UNREADABLE_RETRY
        } else {
            ALARM_RETRY
        };
        Ok(self.state.set_alarm(pause).await?)
    }
}

impl Watcher {
    fn learn(&self, watched: WatchedTask) {
        let WatchedTask {
            task,
            subject,
            public_url,
            label,
        } = watched;
        self.state
            .insert_if_none(|| WatchState::new(task, subject, timestamp_ms()));
        if !public_url.is_empty() {
            self.state.change(|state| state.public_url = public_url);
        }
        if label.is_some() {
            self.state.change(|state| state.label = label);
        }
    }

    async fn subscribe(&self, request: &StreamRequest) -> worker::Result<Response> {
        self.state.change(WatchState::resume);
        let owner = self
            .state
            .read(|state| state.owner.clone())
            .unwrap_or_default();
        let quotas = quotas_of(request, &owner, &Upstream::shared(&self.env)?.settings);
        let has_ended = self.has_ended();
        let latest = self.latest_event()?;
        let response = open(request, &self.subscribers, latest, has_ended, quotas)?;
        if !has_ended {
            self.state.store()?;
        }
        self.set_next_alarm().await?;
        Ok(response)
    }

    /// Reads the task's outputs, once for all requests within some seconds. Nothing is stored.
    async fn read_outputs(&self) -> worker::Result<Result<TaskOutputs, Refusal>> {
        let mut last = self.outputs.lock().await;
        let has_ended = self.has_ended();
        if let Some(read) = last
            .as_ref()
            .filter(|read| read.are_fresh(has_ended, timestamp_ms()))
        {
            return Ok(read.outputs.clone());
        }
        let upstream = Upstream::shared(&self.env)?;
        let Some(watched) = self.state.read(WatchState::clone) else {
            return Ok(Err(Refusal::from(Reason::UnknownTask)));
        };
        let upstream_ms = Cell::new(0.0);
        let client = upstream.client(&watched.owner, &watched.public_url, &upstream_ms);
        let polled = poll_task(&self.env, client, &watched.task_ref(), Turn::Now).await;
        let outputs = polled.map(|record| TaskOutputs::of(&record.data["task"]));
        *last = Some(LastRead {
            at: timestamp_ms(),
            outputs: outputs.clone(),
        });
        Ok(outputs)
    }

    async fn watch_to_end(&self) -> worker::Result<()> {
        let upstream = Upstream::shared(&self.env)?;
        self.state
            .change(|state| state.watch_to_end(&upstream.settings.webhook_urls, timestamp_ms()));
        self.state.store()?;
        self.set_next_alarm().await
    }

    async fn notify(&self, entry: EntryRef, result: Value) -> worker::Result<()> {
        let upstream = Upstream::shared(&self.env)?;
        let targets = &upstream.settings.webhook_urls;
        self.state
            .change(|state| state.notify(entry, result, targets, timestamp_ms()));
        self.state.store()?;
        self.set_next_alarm().await
    }

    async fn on_alarm(&self) -> worker::Result<()> {
        let now = timestamp_ms();
        self.subscribers.prune(now);
        self.state.load()?;
        let has_subscribers = !self.subscribers.is_empty();
        let is_polled = self.state.is(|state| state.is_polled(has_subscribers));
        let is_due = is_polled && self.state.is(|state| state.until_poll(now) == 0);
        // A subscriber waits for the poll, and its stream is bounded already.
        let works = has_subscribers || !are_objects_full();
        let polls = works && is_due;
        let delivers = works && self.state.is(|state| !state.due_deliveries(now).is_empty());
        if polls || delivers {
            // Set before the work. An object that dies before it sets the next alarm would never
            // wake. A heartbeat is no work: with thousands of streams, each write counts.
            self.state.set_alarm(ALARM_RETRY).await?;
        }
        if polls {
            self.poll().await?;
        } else if is_polled {
            // The poll is not due or was held, but a heartbeat is due.
            self.subscribers.notify(self.latest_event()?);
        }
        if works {
            self.deliver().await?;
        }
        self.set_next_alarm().await
    }

    /// Polls the task once. Subscribers may come and go during the poll.
    async fn poll(&self) -> worker::Result<()> {
        let Some(watched) = self.state.read(WatchState::clone) else {
            // The state was deleted since the alarm was set.
            return Ok(());
        };
        let upstream = Upstream::shared(&self.env)?;
        if self.hold_if_limited(&upstream).await {
            self.subscribers.notify(self.latest_event()?);
            return self.state.store();
        }
        self.read_durations(&upstream).await;
        let upstream_ms = Cell::new(0.0);
        let client = upstream.client(&watched.owner, &watched.public_url, &upstream_ms);
        let polled = poll_task(&self.env, client, &watched.task_ref(), Turn::Taken).await;
        // Before the end is known to this object: if there is no room, the next alarm polls again.
        if let Ok(record) = &polled
            && keep_read(&self.env, &upstream, &watched, record).await == Err(Crowded)
        {
            return Ok(());
        }
        let is_unknown = polled.as_ref().is_err_and(|refusal| refusal.status == 404);
        let durations = DurationsClient::new(&self.env, &upstream.settings);
        let targets = &upstream.settings.webhook_urls;
        let (refusal, duration) = self.apply_poll(polled, targets);
        if let Some(refusal) = refusal {
            self.end_with(refusal);
        }
        let max_task_ms = upstream.settings.max_task_ms;
        self.state.change(|state| {
            state.give_up(targets, max_task_ms, timestamp_ms());
        });
        let has_ended = self.has_ended();
        let stored = self.state.store();
        if has_ended || is_unknown {
            let record = self.state.read(|state| state.record.clone()).flatten();
            let record = record.filter(|_| has_ended);
            let summary = record.map(|data| summary(&data["task"]));
            // Free the slot before subscribers receive the end, since they may create the next
            // task at once.
            LedgerClient::new(&self.env, &upstream.settings)
                .free(&watched.owner, watched.group, &watched.task, summary)
                .await;
        }
        self.subscribers.notify(self.latest_event()?);
        if has_ended || self.state.is(|state| state.is_given_up) {
            self.subscribers.end(None);
        }
        if let (Some(origin), Some(duration)) = (&watched.origin, duration) {
            let polls = self.state.read(|state| state.poll_count);
            durations
                .learn(origin, duration, polls.unwrap_or_default())
                .await;
        }
        // Returned last, so that subscribers receive the end even if it can't be stored.
        stored
    }

    fn has_ended(&self) -> bool {
        self.state.is(|state| state.ended_at.is_some())
    }

    /// Counts the poll if the rate of polls is limited. Holds the poll and returns true if it must
    /// wait.
    async fn hold_if_limited(&self, upstream: &Upstream) -> bool {
        if self.state.is(|state| state.may_take_turn(timestamp_ms())) {
            return false;
        }
        let wait = DurationsClient::new(&self.env, &upstream.settings)
            .take_poll(MAX_TURN_MS, Some(0.0))
            .await;
        if wait != Some(0.0) {
            // Without a turn, wait for a random time, so that not all watchers ask again at once.
            let milliseconds = wait.unwrap_or(MAX_TURN_MS * (0.5 + js_sys::Math::random() / 2.0));
            self.state
                .change(|state| state.hold(timestamp_ms(), milliseconds, wait.is_some()));
        }
        wait != Some(0.0)
    }

    /// Reads the durations of such tasks before the first poll.
    async fn read_durations(&self, upstream: &Upstream) {
        if self.state.is(|state| state.poll_count > 0) {
            return;
        }
        if let Some(origin) = self.state.read(|state| state.origin.clone()).flatten() {
            let durations = DurationsClient::new(&self.env, &upstream.settings)
                .read(&origin)
                .await;
            self.state.change(|state| state.durations = durations);
        }
    }

    /// Applies the result of a poll to the state. Returns a refusal if polling again can't help,
    /// and the duration of the task ([`WatchState::duration`]) if the poll has seen its end.
    fn apply_poll(
        &self,
        polled: Result<TaskRecord, Refusal>,
        targets: &[String],
    ) -> (Option<Refusal>, Option<(f64, f64)>) {
        let now = timestamp_ms();
        let mut duration = None;
        let failure = match polled {
            Ok(record) => {
                // An alarm may fire twice and poll an end twice. Only a changed record schedules
                // deliveries, so they are scheduled once.
                self.state.change(|state| {
                    if state.set_record(record.data, now) {
                        state.schedule_deliveries(targets, now);
                        duration = state.duration(now);
                    }
                });
                None
            }
            Err(refusal) => {
                if refusal.status == 404 {
                    self.state.change(|state| state.leave(targets, now));
                }
                Some(refusal)
            }
        };
        self.state
            .change(|state| state.polled(now, failure.as_ref(), js_sys::Math::random()));
        (failure.filter(is_final), duration)
    }

    /// Attempts the due deliveries. Every attempt has the same payload.
    async fn deliver(&self) -> worker::Result<()> {
        let due = self
            .state
            .read(|state| state.due_deliveries(timestamp_ms()))
            .unwrap_or_default();
        let Some(state) = self
            .state
            .read(WatchState::clone)
            .filter(|_| !due.is_empty())
        else {
            // No delivery is due.
            return Ok(());
        };
        let upstream = Upstream::shared(&self.env)?;
        let settings = &upstream.settings;
        let payload = webhook_payload(&upstream, &state);
        // A task that was given up may still end later, which is a message with another id.
        let end = if state.ended_at.is_some() {
            ""
        } else {
            " unfinished"
        };
        let task = [&state.task, end].concat();
        let about = [settings.tenant.as_str(), state.group.name(), &task];
        let message = Message {
            about,
            payload: &payload,
        };
        let attempts = due.iter().map(|delivery| {
            delivery.attempt_to(&settings.webhook_urls, &settings.webhook_keys, &message)
        });
        for (delivery, next) in due.iter().zip(join_all(attempts).await) {
            self.state.change(|state| state.delivered(delivery, next));
        }
        self.state.store()
    }

    fn end_with(&self, refusal: Refusal) {
        let version = self.state.read(|state| state.version).unwrap_or_default();
        let envelope = envelope(refusal.code, &refusal.message, Value::Object(refusal.data));
        let event = event("error", version, &envelope);
        self.subscribers.end(Some(&Rc::from(event.as_bytes())));
    }

    /// Returns the last event. Its ids are sealed for the owner, who is every subscriber.
    fn latest_event(&self) -> worker::Result<Option<LatestEvent>> {
        let upstream = Upstream::shared(&self.env)?;
        let latest = self.state.read(|state| {
            state.has_news().then(|| {
                let data = event_data(&upstream, state);
                let envelope = envelope(Code::OK, Code::OK.message(), data);
                LatestEvent {
                    version: state.version,
                    event: Rc::from(event("task", state.version, &envelope).as_bytes()),
                }
            })
        });
        Ok(latest.flatten())
    }

    async fn set_next_alarm(&self) -> worker::Result<()> {
        let now = timestamp_ms();
        let has_subscribers = !self.subscribers.is_empty();
        let Some((wait, used_at)) = self.state.read(|state| {
            let wait = state.until_alarm(has_subscribers, now);
            (wait, state.polled_at.max(state.held_until))
        }) else {
            // There is no state, so there is nothing to poll or to delete.
            return Ok(());
        };
        if let Some(wait) = wait {
            let wait = Duration::from_millis(wait);
            let wait = if has_subscribers { wait } else { spaced(wait) };
            return self.state.set_alarm(wait).await;
        }
        // The state stays for a while, for subscribers that come back.
        let idle = Duration::from_millis((now - used_at).max(0).unsigned_abs());
        match RETENTION.checked_sub(idle).filter(|left| !left.is_zero()) {
            Some(left) => self.state.set_alarm(spaced(left)).await,
            None => self.state.delete().await,
        }
    }

    /// Deletes a state that can't be read. The task can be read again from the upstream. Returns
    /// true if the error is about such a state.
    async fn delete_if_damaged(&self, error: &worker::Error) -> worker::Result<bool> {
        let is_damaged = matches!(error, worker::Error::SerdeJsonError(_));
        if is_damaged {
            log(concat!(
                r#"{"operation":"watch","#,
                r#""problem":"the stored state of a watched task is damaged; it is deleted"}"#,
            ));
            self.state.delete().await?;
        }
        Ok(is_damaged)
    }
}

/// Returns true if waiting does not help, for example if the upstream rejects the API key. After
/// any other failure, subscribers receive heartbeats, and an event if the upstream stays silent.
fn is_final(refusal: &Refusal) -> bool {
    refusal.status == 404 || !refusal.code.is_retryable() || refusal.is(Reason::AnswerTooLarge)
}

/// Requests that the outputs in a record are kept, if the task has succeeded.
async fn keep_read(
    env: &Env,
    upstream: &Upstream,
    watched: &WatchState,
    record: &TaskRecord,
) -> Result<(), Crowded> {
    let task = TaskName::Upstream(watched.task_ref());
    let label = watched.label.as_deref();
    let settings = &upstream.settings;
    keep_outputs(
        env,
        settings,
        &watched.owner,
        &task,
        label,
        &record.data["task"],
        &[],
    )
    .await
}
