use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;

use futures_channel::mpsc::UnboundedSender;
use mediagate_access::identity::Subject;
use mediagate_core::Code;
use mediagate_messages::StreamRequest;
use mediagate_messages::envelope::{envelope, event};
use mediagate_pipeline::RunEvent;
use mediagate_platform::storage::{UNREADABLE_RETRY, is_unreadable};
use mediagate_platform::{log, read_message, timestamp_ms};
use mediagate_upstream_client::Upstream;
use serde_json::Value;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;
use web_sys::{Request, Response, ResponseInit};
use worker::Env;
use worker::worker_sys::DurableObjectState;

use super::record::PipelineRecord;
use super::stored_state::StoredState;
use super::view::{Records, view};
use crate::events::{LatestEvent, Subscribers, open, quotas_of};

const ALARM_RETRY: Duration = Duration::from_secs(30);

const PROGRESS_PAUSE: Duration = Duration::from_secs(1);

/// A pipeline. The Worker exports this class, and binds it as `PIPELINE`.
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

    pub async fn fetch(&self, request: Request) -> Result<Response, JsValue> {
        let message = read_message(&request).await?;
        Ok(self.0.handle(message).await?)
    }

    /// Runs the pipeline, notifies the app's backend of its end, and deletes a pipeline that is too
    /// old. Fails only if not even an alarm can be set.
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
        if self.is_unreadable_over().unwrap_or(false) {
            self.stored.remove().await
        } else {
            self.stored.set_alarm(UNREADABLE_RETRY).await
        }
    }

    /// Returns true if the lifetime of a pipeline that this build can't read is over. Fails if this
    /// build can't even read its times.
    fn is_unreadable_over(&self) -> worker::Result<bool> {
        let lifetime = self.lifetime_ms(&*Upstream::shared(&self.env)?);
        let since = self
            .stored
            .lifecycle()?
            .map(|lifecycle| lifecycle.ended_at.unwrap_or(lifecycle.started_at));
        Ok(since.is_none_or(|since| since + lifetime < timestamp_ms()))
    }

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

    /// Returns true if there is a pipeline that passes a test.
    pub(super) fn is(&self, test: impl FnOnce(&PipelineRecord) -> bool) -> bool {
        self.read(test).unwrap_or_default()
    }

    /// Applies an event, stores the changed steps, and notifies the run and subscribers. Nothing
    /// has changed after an error.
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

    pub(super) fn change(&self, change: impl FnOnce(&mut PipelineRecord)) {
        if let Some(record) = self.record.borrow_mut().as_mut() {
            change(record);
        }
    }

    pub(super) fn change_lifecycle(
        &self,
        change: impl FnOnce(&mut PipelineRecord),
    ) -> worker::Result<()> {
        self.change(change);
        self.read(|record| self.stored.store_lifecycle(record))
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

    pub(super) fn wake(&self) {
        if let Some(wake) = self.wake.borrow().as_ref() {
            // A run that has just returned no longer receives, and the next alarm looks again.
            let _ = wake.unbounded_send(());
        }
    }

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
            self.subscribers.notify(latest);
        }
    }

    pub(super) fn view(&self, upstream: &Upstream) -> Option<Value> {
        self.read(|record| view(&upstream.sealer, record, &self.records.borrow()))
    }

    fn latest_event(&self) -> worker::Result<Option<LatestEvent>> {
        let upstream = Upstream::shared(&self.env)?;
        let version = self.version.get();
        let ok = Code::OK;
        Ok(self.view(&upstream).map(|data| {
            let text = event("pipeline", version, &envelope(ok, ok.message(), data));
            LatestEvent {
                version,
                event: Rc::from(text.as_bytes()),
            }
        }))
    }

    pub(super) async fn subscribe(&self, request: &StreamRequest) -> worker::Result<Response> {
        if !self.load()? {
            let init = ResponseInit::new();
            init.set_status(404);
            return Ok(Response::new_with_opt_str_and_init(None, &init)?);
        }
        let quotas = quotas_of(
            request,
            &self.subject(),
            &Upstream::shared(&self.env)?.settings,
        );
        let latest = self.latest_event()?;
        let response = open(request, &self.subscribers, latest, self.has_ended(), quotas)?;
        self.go_on().await?;
        Ok(response)
    }

    /// Sets the alarm for the next action of the run, unless this object is running it.
    pub(super) async fn go_on(&self) -> worker::Result<()> {
        if self.wake.borrow().is_none() && !self.has_ended() {
            self.set_next_alarm(&*Upstream::shared(&self.env)?).await?;
        }
        Ok(())
    }

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

    /// Returns true if the token of the last start or resume has been revoked.
    pub(super) fn is_revoked(&self, upstream: &Upstream) -> bool {
        let settings = &upstream.settings;
        self.read(|record| {
            let grant = &record.lifecycle.grant;
            let is_old = grant
                .issued_at
                .is_some_and(|issued_at| issued_at < settings.session_not_before);
            let id = grant.token_id.as_ref();
            is_old || id.is_some_and(|id| settings.mcp.revoked_tokens.contains(id))
        })
        .unwrap_or(true)
    }

    /// Returns the longest run of a pipeline. An ended pipeline is stored as long.
    pub(super) fn lifetime_ms(&self, upstream: &Upstream) -> i64 {
        i64::from(upstream.settings.pipelines.days) * 24 * 60 * 60 * 1000
    }
}
