//! The Durable Object: one task, its subscribers, and the alarm that polls it.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::lock::Mutex;
use mediagate_core::{Code, Reason};
use serde_json::Value;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen_futures::JsFuture;
use web_sys::{Request, Response};
use worker::Env;
use worker::worker_sys::DurableObjectState;

use super::messages::{event_data, webhook_payload};
use super::state::{PollFailure, TaskDuration, WatchState};
use super::stored_state::StoredState;
use crate::events::{LatestEvent, Subscribers, event};
use crate::ids::TaskName;
use crate::objects::{
    DurationsClient, LedgerClient, OutputsReport, StreamRequest, TaskOutputs, Turn, WatchPurpose,
    WatchRequest, keep_outputs, poll_task,
};
use crate::platform::{log, timestamp_ms};
use crate::refusal::Refusal;
use crate::reply::envelope;
use crate::upstream::{TaskRecord, Upstream, summary};
use crate::webhooks::Message;

/// How long the state of a task is stored after the last poll, where it has no subscriber.
const RETENTION: Duration = Duration::from_secs(60 * 60);

/// The most milliseconds that a poll waits for its turn, where polls are held to a rate: a turn that was promised is kept also
/// where the upstream wants a pause meanwhile. Where the queue is longer, the poll waits as long, and then for a turn.
const MAX_TURN_MS: f64 = 10_000.0;

/// How long outputs of a task that has ended are not read again, in milliseconds. Their URLs may expire.
const ENDED_LASTS_MS: i64 = 60_000;

/// How long a task that has not ended, or can't be read, is not read again for its outputs, in milliseconds. The watcher may
/// see the end earlier.
const RUNNING_LASTS_MS: i64 = 1_000;

/// The most milliseconds that a read of outputs waits for its turn, if polls are held to a rate.
const MAX_READ_TURN_MS: f64 = 2_000.0;

/// The delay before an alarm that failed or was interrupted fires again. The platform never runs
/// two alarms of an object at the same time.
const ALARM_RETRY: Duration = Duration::from_secs(10);

/// One watched task. The Worker that contains the gateway exports this class, and binds it as `WATCHER`.
#[wasm_bindgen]
pub struct Watcher(Rc<Inner>);

struct Inner {
    env: Env,
    subscribers: Subscribers,
    state: StoredState,
    /// The outputs that were read last. Requests wait for the one that reads them.
    outputs: Mutex<Option<ReadOutputs>>,
}

/// Outputs, and when they were read.
struct ReadOutputs {
    at: i64,
    report: OutputsReport,
}

impl ReadOutputs {
    /// Whether they need not be read again yet. `has_ended` says that the watcher has seen the task's end.
    fn are_fresh(&self, has_ended: bool, now: i64) -> bool {
        let lifetime = match &self.report {
            OutputsReport::Outputs(outputs) if outputs.has_ended => ENDED_LASTS_MS,
            _ if has_ended => 0,
            _ => RUNNING_LASTS_MS,
        };
        (self.at..self.at + lifetime).contains(&now)
    }
}

#[wasm_bindgen]
impl Watcher {
    /// Called by the platform when the object starts.
    #[wasm_bindgen(constructor)]
    pub fn new(state: DurableObjectState, env: Env) -> Self {
        let state = StoredState::new(state);
        Watcher(Rc::new(Inner {
            env,
            subscribers: Subscribers::default(),
            state,
            outputs: Mutex::default(),
        }))
    }

    /// Handles a `WatchRequest` of the gateway or of a ledger, as JSON. The response is a stream of server-sent events, or
    /// `null`.
    ///
    /// # Errors
    /// Those of the storage, a damaged row among them.
    pub async fn fetch(&self, request: Request) -> Result<Response, JsValue> {
        let inner = Rc::clone(&self.0);
        let text = JsFuture::from(request.text()?)
            .await?
            .as_string()
            .unwrap_or_default();
        let request: WatchRequest = serde_json::from_str(&text).map_err(worker::Error::from)?;
        let WatchRequest {
            task,
            subject,
            public_url,
            label,
            purpose,
        } = request;
        if let Err(error) = inner.state.load() {
            inner.delete_if_damaged(&error).await?;
            return Err(error.into());
        }
        inner
            .state
            .get_or_insert(|| WatchState::new(task, subject, timestamp_ms()));
        if !public_url.is_empty() {
            inner.state.change(|state| state.public_url = public_url);
        }
        if label.is_some() {
            inner.state.change(|state| state.label = label);
        }
        match purpose {
            WatchPurpose::Subscribe(request) => Ok(inner.subscribe(&request).await?),
            WatchPurpose::WatchToEnd => {
                inner.watch_to_end().await?;
                Response::new_with_opt_str(Some("null"))
            }
            WatchPurpose::ReadOutputs => {
                let report = inner.read_outputs().await?;
                Response::new_with_opt_str(Some(
                    &serde_json::to_string(&report).map_err(worker::Error::from)?,
                ))
            }
        }
    }

    /// Polls, notifies, delivers, and sets the next alarm, also after a failure.
    ///
    /// # Errors
    /// Those of the host, where not even an alarm can be set.
    pub async fn alarm(&self) -> Result<(), JsValue> {
        let inner = Rc::clone(&self.0);
        let Err(error) = inner.on_alarm().await else {
            return Ok(());
        };
        if !inner.delete_if_damaged(&error).await? {
            inner.state.reload();
            inner.state.set_alarm(ALARM_RETRY).await?;
        }
        Ok(())
    }
}

impl Inner {
    async fn subscribe(&self, request: &StreamRequest) -> worker::Result<Response> {
        self.state.change(WatchState::resume);
        let owner = self
            .state
            .read(|state| state.owner.clone())
            .unwrap_or_default();
        let quotas = request.quotas(&owner, &self.upstream()?.settings);
        let has_ended = self
            .state
            .read(|it| it.ended_at.is_some())
            .unwrap_or_default();
        // A subscriber that has received the end receives it again: it would reconnect after a stream without it.
        let last_event_id = Some(request.last_event_id).filter(|_| !has_ended);
        let stream =
            self.subscribers
                .add(last_event_id, request.until, &self.latest_event()?, quotas);
        match has_ended {
            true => self.subscribers.end(None),
            false => self.state.store()?,
        }
        self.set_next_alarm().await?;
        Ok(worker::Response::from_stream(stream.map(Ok::<_, worker::Error>))?.into())
    }

    /// Reads the task's outputs, once for all who request them within some seconds. Nothing is stored.
    async fn read_outputs(&self) -> worker::Result<OutputsReport> {
        let mut last = self.outputs.lock().await;
        let has_ended = self
            .state
            .read(|state| state.ended_at.is_some())
            .unwrap_or_default();
        if let Some(read) = last
            .as_ref()
            .filter(|read| read.are_fresh(has_ended, timestamp_ms()))
        {
            return Ok(read.report.clone());
        }
        let upstream = self.upstream()?;
        let task = self.state.read(|state| {
            (
                state.owner.clone(),
                state.task_ref(),
                state.public_url.clone(),
            )
        });
        let Some((owner, task, public_url)) = task else {
            return Ok(OutputsReport::Refused(
                Refusal::from(Reason::UnknownTask).into(),
            ));
        };
        let upstream_ms = Cell::new(0.0);
        let client = upstream.client(&owner, &public_url, &upstream_ms);
        let report = match poll_task(&self.env, client, &task, Turn::Within(MAX_READ_TURN_MS)).await
        {
            Ok(record) => OutputsReport::Outputs(TaskOutputs::of(&record.data["task"])),
            Err(refusal) => OutputsReport::Refused(refusal.into()),
        };
        *last = Some(ReadOutputs {
            at: timestamp_ms(),
            report: report.clone(),
        });
        Ok(report)
    }

    async fn watch_to_end(&self) -> worker::Result<()> {
        let upstream = self.upstream()?;
        self.state
            .change(|it| it.watch_to_end(&upstream.settings.webhook_urls, timestamp_ms()));
        self.state.store()?;
        self.set_next_alarm().await
    }

    async fn on_alarm(&self) -> worker::Result<()> {
        let now = timestamp_ms();
        self.subscribers.prune(now);
        self.state.load()?;
        // Set before the work: an object that dies before it sets the next alarm would never wake.
        self.state.set_alarm(ALARM_RETRY).await?;
        let has_subscribers = !self.subscribers.is_empty();
        let wait = self
            .state
            .read(|state| {
                state
                    .is_polled(has_subscribers)
                    .then(|| state.until_poll(now))
            })
            .flatten();
        match wait {
            Some(0) => self.poll().await?,
            // The poll is not due, but a heartbeat is.
            Some(_) => self.subscribers.notify(&self.latest_event()?),
            None => {}
        }
        self.deliver().await?;
        self.set_next_alarm().await
    }

    /// Polls the task once. Subscribers may come and go meanwhile.
    async fn poll(&self) -> worker::Result<()> {
        let Some((owner, task, public_url)) = self.state.read(|state| {
            (
                state.owner.clone(),
                state.task_ref(),
                state.public_url.clone(),
            )
        }) else {
            return Ok(());
        };
        let upstream = self.upstream()?;
        if self.is_held(&upstream).await {
            self.subscribers.notify(&self.latest_event()?);
            return self.state.store();
        }
        self.read_durations(&upstream).await;
        let upstream_ms = Cell::new(0.0);
        let client = upstream.client(&owner, &public_url, &upstream_ms);
        let polled = poll_task(&self.env, client, &task, Turn::Taken).await;
        let is_unknown = polled.as_ref().is_err_and(|it| it.status == 404);
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
        // Before the end is stored: an object that dies meanwhile polls again.
        if self.state.read(|state| state.ended_at.is_some()) == Some(true) {
            self.keep_outputs(&upstream).await;
        }
        let stored = self.state.store();
        let has_ended = self
            .state
            .read(|it| it.ended_at.is_some())
            .unwrap_or_default();
        if has_ended || is_unknown {
            let record = |it: &WatchState| it.record.as_ref().map(|it| summary(&it["task"]));
            let summary = self.state.read(record).flatten().filter(|_| has_ended);
            // The slot is free before a subscriber receives the end and creates the next task.
            LedgerClient::new(&self.env, &upstream.settings)
                .free(&owner, task.group, &task.id, summary)
                .await;
        }
        self.subscribers.notify(&self.latest_event()?);
        let is_given_up = self.state.read(|state| state.is_given_up);
        if has_ended || is_given_up.unwrap_or_default() {
            self.subscribers.end(None);
        }
        if let Some(TaskDuration {
            origin,
            after,
            until,
        }) = duration
        {
            let polls = self.state.read(|it| it.poll_count).unwrap_or_default();
            durations.learn(&origin, (after, until), polls).await;
        }
        // Subscribers receive an end that can't be stored, too.
        stored
    }

    /// Requests that the outputs of the task are kept, once it has ended.
    async fn keep_outputs(&self, upstream: &Upstream) {
        let Some(state) = self.state.read(WatchState::clone) else {
            return;
        };
        let task = TaskName::Upstream(state.task_ref());
        let record = state.record.as_ref().map(|data| &data["task"]);
        keep_outputs(
            &self.env,
            &upstream.settings,
            &state.owner,
            &task,
            state.label.as_deref(),
            record.unwrap_or(&Value::Null),
            &[],
        )
        .await;
    }

    /// Counts the poll where polls are held to a rate; whether it has to wait.
    async fn is_held(&self, upstream: &Upstream) -> bool {
        if self
            .state
            .read(|it| it.may_take_turn(timestamp_ms()))
            .unwrap_or_default()
        {
            return false;
        }
        let wait = DurationsClient::new(&self.env, &upstream.settings)
            .take_poll(MAX_TURN_MS, Some(0.0))
            .await;
        if wait != Some(0.0) {
            let milliseconds = wait.unwrap_or(MAX_TURN_MS * (0.5 + js_sys::Math::random() / 2.0));
            self.state
                .change(|it| it.hold(timestamp_ms(), milliseconds, wait.is_some()));
        }
        wait != Some(0.0)
    }

    /// Reads how long such tasks take, before the first poll.
    async fn read_durations(&self, upstream: &Upstream) {
        let is_first = |it: &WatchState| it.origin.clone().filter(|_| it.poll_count == 0);
        if let Some(origin) = self.state.read(is_first).flatten() {
            let durations = DurationsClient::new(&self.env, &upstream.settings)
                .read(&origin)
                .await;
            self.state.change(|it| it.durations = durations);
        }
    }

    /// Applies the result of a poll to the state: the refusal, where polling again can't help, and what is learned of how long
    /// such tasks take.
    fn apply_poll(
        &self,
        polled: Result<TaskRecord, Refusal>,
        targets: &[String],
    ) -> (Option<Refusal>, Option<TaskDuration>) {
        let (now, mut duration) = (timestamp_ms(), None);
        let failure = polled.as_ref().err().map(|refusal| PollFailure {
            is_silence: refusal.status >= 500,
            retry_after: refusal.retry_after,
        });
        let refusal = match polled {
            Ok(record) => {
                // An alarm that fires twice polls the same end twice, and schedules deliveries once.
                self.state.change(|it| {
                    if it.set_record(record.data, now) {
                        it.schedule_deliveries(targets, now);
                        duration = it.duration(now);
                    }
                });
                None
            }
            Err(refusal) if refusal.status == 404 => {
                self.state.change(|state| state.leave(targets, now));
                Some(refusal)
            }
            // Waiting does not help, for example against an API key that the upstream rejects.
            Err(refusal) if !refusal.code.is_retryable() => Some(refusal),
            // The upstream has a problem: subscribers receive heartbeats, and an event if it lasts.
            Err(_) => None,
        };
        self.state
            .change(|it| it.polled(now, failure, js_sys::Math::random()));
        (refusal, duration)
    }

    /// Attempts the deliveries that are due. The payload is the same in every attempt.
    async fn deliver(&self) -> worker::Result<()> {
        let due = self
            .state
            .read(|it| it.due_deliveries(timestamp_ms()))
            .unwrap_or_default();
        let Some(state) = self
            .state
            .read(WatchState::clone)
            .filter(|_| !due.is_empty())
        else {
            return Ok(());
        };
        let upstream = self.upstream()?;
        let settings = &upstream.settings;
        let payload = webhook_payload(&upstream, &state);
        // The end of a task that was given up is another message.
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
        for delivery in due {
            let (targets, keys) = (&settings.webhook_urls, &settings.webhook_keys);
            let status = delivery
                .attempt_to(targets, keys, &message, timestamp_ms())
                .await;
            self.state.change(|it| {
                it.delivered(&delivery, status, timestamp_ms(), js_sys::Math::random())
            });
            self.state.store()?;
        }
        Ok(())
    }

    /// Ends all streams with a refusal.
    fn end_with(&self, refusal: Refusal) {
        let version = self.state.read(|it| it.version).unwrap_or_default();
        let envelope = envelope(refusal.code, &refusal.message, Value::Object(refusal.data));
        let event = event("error", version, &envelope);
        self.subscribers.end(Some(&Rc::from(event.as_bytes())));
    }

    /// The last event, its ids sealed for the owner, who owns every subscription.
    fn latest_event(&self) -> worker::Result<LatestEvent> {
        let upstream = self.upstream()?;
        let latest = self.state.read(|it| {
            let event = it.has_news().then(|| {
                let envelope = envelope(Code::OK, Code::OK.message(), event_data(&upstream, it));
                Rc::from(event("task", it.version, &envelope).as_bytes())
            });
            LatestEvent {
                version: it.version,
                event,
            }
        });
        Ok(latest.unwrap_or(LatestEvent {
            version: 0,
            event: None,
        }))
    }

    async fn set_next_alarm(&self) -> worker::Result<()> {
        let now = timestamp_ms();
        let has_subscribers = !self.subscribers.is_empty();
        let used_at = |it: &WatchState| it.polled_at.max(it.held_until);
        let Some((wait, used_at)) = self
            .state
            .read(|it| (it.until_alarm(has_subscribers, now), used_at(it)))
        else {
            return Ok(());
        };
        let idle = Duration::from_millis((now - used_at).max(0).unsigned_abs());
        match (wait, RETENTION.checked_sub(idle).filter(|it| !it.is_zero())) {
            (Some(wait), _) => self.state.set_alarm(Duration::from_millis(wait)).await,
            // The state stays for a while, for subscribers that come back.
            (None, Some(left)) => self.state.set_alarm(left).await,
            (None, None) => self.state.delete().await,
        }
    }

    /// Deletes a state that can't be read, since the upstream has the truth; whether it was that.
    async fn delete_if_damaged(&self, error: &worker::Error) -> worker::Result<bool> {
        let is_damaged = matches!(error, worker::Error::SerdeJsonError(_));
        if is_damaged {
            log(
                r#"{"operation":"watch","problem":"the stored state of a watched task is damaged; it is deleted"}"#,
            );
            self.state.delete().await?;
        }
        Ok(is_damaged)
    }

    fn upstream(&self) -> worker::Result<Rc<Upstream>> {
        Upstream::shared(&self.env).map_err(|it| worker::Error::RustError(it.to_string()))
    }
}
