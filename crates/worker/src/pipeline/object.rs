//! The Durable Object: one pipeline, its subscribers, and the alarm that runs it.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;

use futures_channel::mpsc::UnboundedSender;
use futures_util::StreamExt;
use mediagate_core::Group;
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

/// When an alarm that failed is set again.
const ALARM_RETRY: Duration = Duration::from_secs(30);

/// How often subscribers receive the progress of tasks.
const PROGRESS_PAUSE: Duration = Duration::from_secs(1);

/// When one is read again that this build can't read.
const UNREADABLE_RETRY: Duration = Duration::from_secs(6 * 60 * 60);

/// One pipeline. The Worker that contains the gateway exports this class, and binds it as `PIPELINE`.
#[wasm_bindgen]
pub struct Pipeline(Rc<Inner>);

pub(super) struct Inner {
    pub(super) env: Env,
    pub(super) stored: StoredState,
    /// The pipeline, once it was read since the object woke.
    record: RefCell<Option<PipelineRecord>>,
    /// The last records of running tasks. They are not stored: a watcher sends them again.
    records: RefCell<Records>,
    pub(super) subscribers: Subscribers,
    /// The number of the last event. After the object was evicted, it goes on above every earlier one.
    version: Cell<u64>,
    /// Whether subscribers are to receive the progress of tasks.
    is_behind: Cell<bool>,
    /// Wakes the run, where it is under way here.
    pub(super) wake: RefCell<Option<UnboundedSender<()>>>,
}

#[wasm_bindgen]
impl Pipeline {
    /// Called by the platform when the object starts.
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

    /// Handles a `PipelineRequest` of the gateway, as JSON. The response is a `PipelineReport`, or a stream of server-sent
    /// events.
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
            Err(refusal) => PipelineReport::Refused(refusal.into()),
        };
        Response::new_with_opt_str(Some(
            &serde_json::to_string(&report).map_err(worker::Error::from)?,
        ))
    }

    /// Runs the pipeline, notifies the app's backend of its end, and deletes what is too old.
    ///
    /// # Errors
    /// Those of the host, where not even an alarm can be set.
    pub async fn alarm(&self) -> Result<(), JsValue> {
        let inner = Rc::clone(&self.0);
        if inner.load().is_err_and(|error| is_unreadable(&error)) {
            inner.keep_unreadable().await?;
        } else if Rc::clone(&inner).on_alarm().await.is_err() {
            log(r#"{"operation":"pipeline","problem":"a run was interrupted, and goes on"}"#);
            inner.forget_memory();
            inner.stored.set_alarm(ALARM_RETRY).await?;
        }
        Ok(())
    }
}

impl Inner {
    /// Reads the stored pipeline, where it was not read since the object woke; whether there is one.
    pub(super) fn load(&self) -> worker::Result<bool> {
        if self.record.borrow().is_none() {
            *self.record.borrow_mut() = self.stored.load()?;
        }
        Ok(self.record.borrow().is_some())
    }

    /// Keeps a pipeline that this build can't read, which a later one may, for as long as it could run.
    async fn keep_unreadable(&self) -> worker::Result<()> {
        log(
            r#"{"operation":"pipeline","problem":"a stored pipeline can't be read; a later build may"}"#,
        );
        let lifetime = self.lifetime_ms(&*self.upstream()?);
        let since = self
            .stored
            .course()?
            .map(|it| it.ended_at.unwrap_or(it.started_at));
        match since.is_none_or(|it| it + lifetime < timestamp_ms()) {
            true => self.stored.remove().await,
            false => self.stored.set_alarm(UNREADABLE_RETRY).await,
        }
    }

    /// Stores a new pipeline.
    pub(super) fn insert(&self, record: PipelineRecord) -> worker::Result<()> {
        self.stored.store(&record)?;
        *self.record.borrow_mut() = Some(record);
        Ok(())
    }

    /// What is not stored may be wrong after a failure.
    pub(super) fn forget_memory(&self) {
        *self.record.borrow_mut() = None;
        self.records.borrow_mut().clear();
        *self.wake.borrow_mut() = None;
    }

    /// Reads the pipeline, where there is one.
    pub(super) fn read<T>(&self, read: impl FnOnce(&PipelineRecord) -> T) -> Option<T> {
        self.record.borrow().as_ref().map(read)
    }

    /// Takes an event, stores what it changes, and tells subscribers.
    ///
    /// # Errors
    /// Those of the storage; nothing has changed then.
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

    /// Changes what changes besides the steps, in memory.
    pub(super) fn change(&self, change: impl FnOnce(&mut PipelineRecord)) {
        if let Some(record) = self.record.borrow_mut().as_mut() {
            change(record);
        }
    }

    /// Changes and stores what changes besides the steps.
    pub(super) fn change_course(
        &self,
        change: impl FnOnce(&mut PipelineRecord),
    ) -> worker::Result<()> {
        self.change(change);
        self.read(|record| self.stored.store_course(record))
            .unwrap_or(Ok(()))
    }

    /// A running task has a new record. Subscribers receive those of a second together.
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

    /// Lets the run look for what is to be done next.
    pub(super) fn wake(&self) {
        if let Some(wake) = self.wake.borrow().as_ref() {
            let _ = wake.unbounded_send(());
        }
    }

    /// Sends subscribers the present state.
    pub(super) fn changed(&self) {
        self.version
            .set((self.version.get() + 1).max(timestamp_ms().unsigned_abs()));
        self.notify();
    }

    /// Sends subscribers what is new to them, and a heartbeat else.
    pub(super) fn notify(&self) {
        if !self.subscribers.is_empty()
            && let Ok(latest) = self.latest_event()
        {
            self.subscribers.notify(&latest);
        }
    }

    /// The pipeline as `data` of a reply.
    pub(super) fn view(&self, upstream: &Upstream) -> Option<Value> {
        self.read(|it| view(&upstream.sealer, it, &self.records.borrow()))
    }

    fn latest_event(&self) -> worker::Result<LatestEvent> {
        let upstream = self.upstream()?;
        let (ok, version) = (mediagate_core::Code::OK, self.version.get());
        let event = self.view(&upstream).map(|it| {
            let text = event("pipeline", version, &envelope(ok, ok.message(), it));
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
        // A subscriber that has received the end receives it again: it would reconnect after a stream without it.
        let last_event_id = Some(request.last_event_id).filter(|_| !has_ended);
        let stream =
            self.subscribers
                .add(last_event_id, request.until, &self.latest_event()?, quotas);
        match has_ended {
            true => self.subscribers.end(None),
            false => self.go_on().await?,
        }
        Ok(worker::Response::from_stream(stream.map(Ok::<_, worker::Error>))?.into())
    }

    /// Has the run go on when it has something to do, unless it is under way here.
    pub(super) async fn go_on(&self) -> worker::Result<()> {
        if self.wake.borrow().is_none() && !self.has_ended() {
            self.set_next_alarm(&*self.upstream()?).await?;
        }
        Ok(())
    }

    /// Puts other bodies in the places of some steps' bodies.
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

    /// Whether its end is written down, where there is such a pipeline.
    pub(super) fn has_ended(&self) -> bool {
        self.read(PipelineRecord::has_ended).unwrap_or(true)
    }

    pub(super) fn subject(&self) -> Subject {
        self.read(|it| it.fixed.name.subject.clone())
            .unwrap_or_default()
    }

    pub(super) fn group(&self, step: usize) -> Group {
        self.read(|it| it.group(step)).unwrap_or(Group::Generate)
    }

    /// Whether the token that the pipeline started with, or was resumed with, was revoked meanwhile.
    pub(super) fn is_revoked(&self, upstream: &Upstream) -> bool {
        let settings = &upstream.settings;
        self.read(|it| {
            let grant = &it.course.grant;
            let is_listed = |id: &String| settings.mcp.revoked_tokens.contains(id);
            grant
                .issued_at
                .is_some_and(|it| it < settings.session_not_before)
                || grant.token_id.as_ref().is_some_and(is_listed)
        })
        .unwrap_or(true)
    }

    pub(super) fn upstream(&self) -> worker::Result<Rc<Upstream>> {
        Upstream::shared(&self.env).map_err(|it| worker::Error::RustError(it.to_string()))
    }

    /// How long a pipeline may run, and is stored once it has ended, in milliseconds.
    pub(super) fn lifetime_ms(&self, upstream: &Upstream) -> i64 {
        i64::from(upstream.settings.pipelines.days) * 24 * 60 * 60 * 1000
    }
}

/// Whether a stored pipeline can't be read by this build. Other errors of the storage may pass.
fn is_unreadable(error: &worker::Error) -> bool {
    matches!(
        error,
        worker::Error::SerdeJsonError(_) | worker::Error::RustError(_)
    )
}

/// What a pipeline responds to a request, or the error of its storage.
pub(super) type PipelineAnswer = worker::Result<Result<PipelineReport, Refusal>>;
