//! The Durable Object of a pipeline, with its subscribers and the alarm that runs it.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;

use futures_channel::mpsc::UnboundedSender;
use futures_util::StreamExt;
use mediagate_core::{Code, Group};
use mediagate_pipeline::RunEvent;
use serde_json::Value;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen_futures::JsFuture;
use web_sys::{Request, Response, ResponseInit};
use worker::Env;
use worker::worker_sys::DurableObjectState;

use super::record::PipelineRecord;
use super::stored_state::StoredState;
use super::view::{Records, view};
use crate::events::{LatestEvent, Subscribers, event};
use crate::identity::Subject;
use crate::objects::{PipelineReport, PipelineRequest, StreamRequest};
use crate::platform::{log, timestamp_ms};
use crate::refusal::Refusal;
use crate::reply::envelope;
use crate::upstream::Upstream;

/// The pause before a failed alarm is repeated.
const ALARM_RETRY: Duration = Duration::from_secs(30);

/// The shortest time between two events with the progress of tasks.
const PROGRESS_PAUSE: Duration = Duration::from_secs(1);

/// The time after which an unreadable pipeline is read again.
const UNREADABLE_RETRY: Duration = Duration::from_secs(6 * 60 * 60);

/// A pipeline. The Worker that contains the gateway exports this class, and binds it as `PIPELINE`.
#[wasm_bindgen]
pub struct Pipeline(Rc<Inner>);

pub(super) struct Inner {
    pub(super) env: Env,
    pub(super) stored: StoredState,
    /// The pipeline, read from storage on first use.
    record: RefCell<Option<PipelineRecord>>,
    /// The last records of running tasks. They are not stored, since a watcher sends them again.
    records: RefCell<Records>,
    pub(super) subscribers: Subscribers,
    /// The number of the last event. It begins with the time, so that a restarted object continues
    /// above all earlier numbers.
    version: Cell<u64>,
    /// True if an event with the progress of tasks is due.
    is_behind: Cell<bool>,
    /// Wakes the run, if this object is running it.
    pub(super) wake: RefCell<Option<UnboundedSender<()>>>,
}

#[wasm_bindgen]
impl Pipeline {
    /// Creates the object. The platform calls this when the object starts.
    #[wasm_bindgen(constructor)]
    pub fn new(state: DurableObjectState, env: Env) -> Self {
        Pipeline(Rc::new(Inner {
            env,
            stored: StoredState::new(state),
            record: RefCell::default(),
            records: RefCell::default(),
            subscribers: Subscribers::default(),
            version: Cell::new(timestamp_ms().unsigned_abs()),
            is_behind: Cell::new(false),
            wake: RefCell::default(),
        }))
    }

    /// Handles a `PipelineRequest` of the gateway, as JSON. The response is a `PipelineReport`, or
    /// a stream of server-sent events.
    ///
    /// # Errors
    /// Those of the storage.
    pub async fn fetch(&self, request: Request) -> Result<Response, JsValue> {
        let text = JsFuture::from(request.text()?)
            .await?
            .as_string()
            .unwrap_or_default();
        let request: PipelineRequest = serde_json::from_str(&text).map_err(worker::Error::from)?;
        let inner = Rc::clone(&self.0);
        if let PipelineRequest::Subscribe(request) = request {
            return Ok(inner.subscribe(&request).await?);
        }
        let report = match inner.handle(request).await? {
            Ok(report) => report,
            Err(refusal) => PipelineReport::Refused(refusal),
        };
        Response::new_with_opt_str(Some(
            &serde_json::to_string(&report).map_err(worker::Error::from)?,
        ))
    }

    /// Runs the pipeline, notifies the app's backend of its end, and deletes the pipeline if it is
    /// too old.
    ///
    /// # Errors
    /// Those of the host, if not even an alarm can be set.
    pub async fn alarm(&self) -> Result<(), JsValue> {
        let inner = Rc::clone(&self.0);
        if inner.load().is_err_and(|error| is_unreadable(&error)) {
            inner.keep_unreadable().await?;
        } else if Rc::clone(&inner).on_alarm().await.is_err() {
            log(r#"{"operation":"pipeline","problem":"a run was interrupted, and goes on"}"#);
            // The state in memory may differ from the stored state after a failure.
            inner.forget_memory();
            inner.stored.set_alarm(ALARM_RETRY).await?;
        }
        Ok(())
    }
}

impl Inner {
    /// Reads the stored pipeline, unless it is in memory. Returns false if there is none.
    pub(super) fn load(&self) -> worker::Result<bool> {
        if self.record.borrow().is_none() {
            *self.record.borrow_mut() = self.stored.load()?;
        }
        Ok(self.record.borrow().is_some())
    }

    /// Keeps a pipeline that this build can't read until its lifetime is over. A later build may be
    /// able to read it.
    async fn keep_unreadable(&self) -> worker::Result<()> {
        log(concat!(
            r#"{"operation":"pipeline","#,
            r#""problem":"a stored pipeline can't be read; a later build may"}"#,
        ));
        let lifetime = self.lifetime_ms(&*self.upstream()?);
        let since = self
            .stored
            .course()?
            .map(|course| course.ended_at.unwrap_or(course.started_at));
        if since.is_none_or(|since| since + lifetime < timestamp_ms()) {
            self.stored.remove().await
        } else {
            self.stored.set_alarm(UNREADABLE_RETRY).await
        }
    }

    /// Stores a new pipeline.
    pub(super) fn insert(&self, record: PipelineRecord) -> worker::Result<()> {
        self.stored.store(&record)?;
        *self.record.borrow_mut() = Some(record);
        Ok(())
    }

    /// Drops all state in memory. It is read from the storage again.
    pub(super) fn forget_memory(&self) {
        *self.record.borrow_mut() = None;
        self.records.borrow_mut().clear();
        *self.wake.borrow_mut() = None;
    }

    /// Applies a function to the pipeline. Returns `None` if there is no pipeline.
    pub(super) fn read<T>(&self, read: impl FnOnce(&PipelineRecord) -> T) -> Option<T> {
        self.record.borrow().as_ref().map(read)
    }

    /// Applies an event, stores the changed steps, and notifies the run and subscribers.
    ///
    /// # Errors
    /// Those of the storage. Nothing has changed in that case.
    pub(super) fn apply(&self, event: RunEvent) -> worker::Result<()> {
        if let Some(record) = self.record.borrow_mut().as_mut() {
            let before = record.run.clone();
            record.apply(event, timestamp_ms());
            if let Err(error) = self.stored.store_steps(&before, record) {
                record.run = before;
                return Err(error);
            }
            if record.run == before {
                return Ok(());
            }
        }
        self.wake();
        self.changed();
        Ok(())
    }

    /// Changes the pipeline in memory.
    pub(super) fn change(&self, change: impl FnOnce(&mut PipelineRecord)) {
        if let Some(record) = self.record.borrow_mut().as_mut() {
            change(record);
        }
    }

    /// Changes the pipeline's course in memory, and stores the course.
    pub(super) fn change_course(
        &self,
        change: impl FnOnce(&mut PipelineRecord),
    ) -> worker::Result<()> {
        self.change(change);
        self.read(|record| self.stored.store_course(record))
            .unwrap_or(Ok(()))
    }

    /// Stores the new record of a running task in memory. Subscribers receive all new records once
    /// a second.
    pub(super) fn progressed(self: &Rc<Self>, step: usize, task: &Value) {
        self.records.borrow_mut().insert(step, task.clone());
        if !self.is_behind.replace(true) {
            let inner = Rc::clone(self);
            self.stored.wait_until(async move {
                worker::Delay::from(PROGRESS_PAUSE).await;
                inner.is_behind.set(false);
                inner.changed();
            });
        }
    }

    /// Wakes the run to look for new actions.
    pub(super) fn wake(&self) {
        if let Some(wake) = self.wake.borrow().as_ref() {
            // A run that has just returned no longer receives, and the next alarm looks again.
            let _ = wake.unbounded_send(());
        }
    }

    /// Sends the present state to subscribers.
    pub(super) fn changed(&self) {
        self.version
            .set((self.version.get() + 1).max(timestamp_ms().unsigned_abs()));
        self.notify();
    }

    /// Sends the latest event to each subscriber that has not received it, and a heartbeat to the
    /// rest.
    pub(super) fn notify(&self) {
        if !self.subscribers.is_empty()
            && let Ok(latest) = self.latest_event()
        {
            self.subscribers.notify(&latest);
        }
    }

    /// Returns the pipeline as `data` of a reply.
    pub(super) fn view(&self, upstream: &Upstream) -> Option<Value> {
        self.read(|record| view(&upstream.sealer, record, &self.records.borrow()))
    }

    fn latest_event(&self) -> worker::Result<LatestEvent> {
        let upstream = self.upstream()?;
        let version = self.version.get();
        let event = self.view(&upstream).map(|data| {
            let ok = Code::OK;
            let text = event("pipeline", version, &envelope(ok, ok.message(), data));
            Rc::from(text.as_bytes())
        });
        Ok(LatestEvent { version, event })
    }

    async fn subscribe(&self, request: &StreamRequest) -> worker::Result<Response> {
        if !self.load()? {
            let init = ResponseInit::new();
            init.set_status(404);
            return Ok(Response::new_with_opt_str_and_init(None, &init)?);
        }
        let quotas = request.quotas(&self.subject(), &self.upstream()?.settings);
        let has_ended = self.has_ended();
        // The end is sent even to a subscriber that has received it. After a stream without an
        // event, it would reconnect again and again.
        let last_event_id = Some(request.last_event_id).filter(|_| !has_ended);
        let stream =
            self.subscribers
                .add(last_event_id, request.until, &self.latest_event()?, quotas);
        if has_ended {
            self.subscribers.end(None)
        } else {
            self.go_on().await?
        }
        Ok(worker::Response::from_stream(stream.map(Ok::<_, worker::Error>))?.into())
    }

    /// Sets the alarm for the next action of the run, unless this object is running it.
    pub(super) async fn go_on(&self) -> worker::Result<()> {
        if self.wake.borrow().is_none() && !self.has_ended() {
            self.set_next_alarm(&*self.upstream()?).await?;
        }
        Ok(())
    }

    /// Replaces the bodies of some steps.
    pub(super) fn replace_bodies(&self, bodies: BTreeMap<usize, Value>) -> worker::Result<()> {
        self.stored
            .store_bodies(bodies.iter().map(|(step, body)| (*step, body)))?;
        if let Some(record) = self.record.borrow_mut().as_mut() {
            for (step, body) in bodies {
                if let Some(planned) = record.plan.steps.get_mut(step) {
                    planned.input = body;
                }
            }
        }
        Ok(())
    }

    /// Returns true if the pipeline's end is stored, or if there is no pipeline.
    pub(super) fn has_ended(&self) -> bool {
        self.read(PipelineRecord::has_ended).unwrap_or(true)
    }

    pub(super) fn subject(&self) -> Subject {
        self.read(|record| record.fixed.name.subject.clone())
            .unwrap_or_default()
    }

    pub(super) fn group(&self, step: usize) -> Group {
        self.read(|record| record.group(step))
            .unwrap_or(Group::Generate)
    }

    /// Returns true if the token of the last start or resume has been revoked.
    pub(super) fn is_revoked(&self, upstream: &Upstream) -> bool {
        let settings = &upstream.settings;
        self.read(|record| {
            let grant = &record.course.grant;
            let is_listed = |id: &String| settings.mcp.revoked_tokens.contains(id);
            grant
                .issued_at
                .is_some_and(|issued_at| issued_at < settings.session_not_before)
                || grant.token_id.as_ref().is_some_and(is_listed)
        })
        .unwrap_or(true)
    }

    pub(super) fn upstream(&self) -> worker::Result<Rc<Upstream>> {
        Upstream::shared(&self.env).map_err(|error| worker::Error::RustError(error.to_string()))
    }

    /// Returns the longest run of a pipeline, in milliseconds. An ended pipeline is stored as long.
    pub(super) fn lifetime_ms(&self, upstream: &Upstream) -> i64 {
        i64::from(upstream.settings.pipelines.days) * 24 * 60 * 60 * 1000
    }
}

/// Returns true if this build can't read a stored pipeline. Other errors of the storage may pass.
fn is_unreadable(error: &worker::Error) -> bool {
    matches!(
        error,
        worker::Error::SerdeJsonError(_) | worker::Error::RustError(_)
    )
}

/// The response of a pipeline to a request, or an error of its storage.
pub(super) type PipelineAnswer = worker::Result<Result<PipelineReport, Refusal>>;
