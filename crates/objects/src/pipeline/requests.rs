use mediagate_access::refusal::Refusal;
use mediagate_core::Reason;
use mediagate_messages::pipeline::{
    Found, PipelineMessage, Read, Resumable, Resume, Start, Subscribe,
};
use mediagate_messages::{LedgerClient, Request as _};
use mediagate_pipeline::{RunEvent, StoredPlan};
use mediagate_platform::timestamp_ms;
use mediagate_upstream_client::Upstream;
use serde_json::Value;
use web_sys::Response;

use super::object::Inner;
use super::record::PipelineRecord;
use super::run::END_RETRY_MS;

impl Inner {
    pub(super) async fn handle(&self, message: PipelineMessage) -> worker::Result<Response> {
        let loaded = self.load();
        let message = match message {
            // A pipeline that this build can't read can still be removed.
            PipelineMessage::Forget(request) if loaded.is_err() => {
                let remove = async |_| Ok(Ok(self.stored.remove().await?));
                return request.respond(remove).await;
            }
            message => message,
        };
        let is_there = loaded?;
        match message {
            PipelineMessage::Start(request) => {
                request.respond(async |start| self.start(start).await).await
            }
            PipelineMessage::Read(request) => {
                let read = async |Read { fingerprint }| {
                    if is_there {
                        self.go_on().await?;
                    }
                    self.report(fingerprint.as_deref())
                };
                request.respond(read).await
            }
            PipelineMessage::ReadResumable(request) => {
                request.respond(async |_| Ok(self.resumable())).await
            }
            PipelineMessage::Resume(request) => {
                request
                    .respond(async |resume| self.resume(resume).await)
                    .await
            }
            PipelineMessage::Cancel(request) => {
                request.respond(async |_| self.cancel().await).await
            }
            PipelineMessage::Forget(request) => {
                request.respond(async |_| self.forget().await).await
            }
            PipelineMessage::Subscribe(Subscribe(request)) => self.subscribe(&request).await,
        }
    }

    /// Returns the pipeline, if there is one. Refuses if a request with another fingerprint started
    /// it.
    fn report(&self, fingerprint: Option<&str>) -> worker::Result<Found<Value>> {
        if let Some(fingerprint) = fingerprint
            && self.is(|record| record.fixed.fingerprint != fingerprint)
        {
            return Ok(Err(Reason::IdempotencyKeyReused.into()));
        }
        Ok(Ok(self.view(&*Upstream::shared(&self.env)?)))
    }

    /// Starts the pipeline, unless it exists. The gateway has reserved its place.
    async fn start(&self, start: Start) -> worker::Result<Result<Value, Refusal>> {
        let fingerprint = start.fingerprint.clone();
        if self.read(|_| ()).is_none() {
            let Some(record) = PipelineRecord::new(start, timestamp_ms()) else {
                return Ok(Err(Reason::PipelineFailed.into()));
            };
            self.insert(record)?;
        } else if self.has_ended() {
            // It does not need the place that was just reserved. Storing its end frees the place.
            self.store_end_again().await?;
        }
        self.go_on().await?;
        let found = self.report(Some(&fingerprint))?;
        Ok(found.and_then(|found| found.ok_or_else(|| Reason::PipelineFailed.into())))
    }

    /// Returns the steps that a resume would begin again. The gateway prepares them for the caller
    /// who resumes the pipeline.
    fn resumable(&self) -> Found<Resumable> {
        let resumable = self.read(|record| Resumable {
            plan: StoredPlan::from(&record.plan),
            token: record.fixed.token.clone(),
            inputs: record.inputs.clone(),
            steps: record.steps_to_resume(),
        });
        match resumable {
            Some(_) if !self.is_resumable() => Err(self.not_resumable()),
            resumable => Ok(resumable),
        }
    }

    fn is_resumable(&self) -> bool {
        self.is(|record| record.has_ended() && record.run.may_resume(&record.plan))
    }

    /// Returns true if a resumption has the bodies of all steps that would begin again. Another
    /// request may have changed the pipeline since the bodies were prepared.
    fn fits(&self, resumption: &Resume) -> bool {
        if !self.is_resumable() || self.is(|record| record.fixed.token != resumption.token) {
            return false;
        }
        let steps = self
            .read(PipelineRecord::steps_to_resume)
            .unwrap_or_default();
        steps
            .iter()
            .all(|step| resumption.bodies.contains_key(step))
    }

    async fn resume(&self, resumption: Resume) -> worker::Result<Found<Value>> {
        let resumed = self.read(|record| {
            let title = record.plan.title.clone();
            (record.fixed.name.clone(), title, record.planned_to_resume())
        });
        let Some((name, title, planned)) = resumed else {
            return Ok(Ok(None));
        };
        if !self.fits(&resumption) {
            return Ok(Err(self.not_resumable()));
        }
        // The reservation replaces the end in the ledger. If the resume fails after it, the end
        // must be stored again.
        self.store_end_again().await?;
        let upstream = Upstream::shared(&self.env)?;
        let ledgers = LedgerClient::new(&self.env, &upstream.settings);
        let grant = &resumption.grant;
        let reserved = ledgers.reserve_pipeline(&name, title.as_deref(), planned, grant);
        if let Err(refusal) = reserved.await {
            return Ok(Err(refusal));
        }
        // Another request may have resumed the pipeline while the places were reserved.
        if self.fits(&resumption) {
            self.replace_bodies(resumption.bodies)?;
            self.change_lifecycle(|record| {
                record.lifecycle.grant = resumption.grant;
                record.lifecycle.started_at = timestamp_ms();
                record.lifecycle.ended_at = None;
                record.lifecycle.is_counted = false;
                record.lifecycle.end_due = None;
            })?;
            self.apply(RunEvent::Resumed)?;
        }
        self.go_on().await?;
        self.report(None)
    }

    async fn store_end_again(&self) -> worker::Result<()> {
        self.change_lifecycle(|record| {
            record
                .lifecycle
                .end_due
                .get_or_insert(timestamp_ms() + END_RETRY_MS);
        })?;
        self.set_next_alarm(&*Upstream::shared(&self.env)?).await
    }

    fn not_resumable(&self) -> Refusal {
        let message = match self.has_ended() {
            false => "the pipeline is still running; wait for its end, or cancel it",
            true if self.is_resumable() => {
                "the pipeline has changed meanwhile; read it, and resume it again"
            }
            true => {
                "nothing of the pipeline can begin again: its steps succeeded, \
                 or wait for one whose outcome is unknown"
            }
        };
        Refusal::new(Reason::NotResumable, message)
    }

    /// Stops sending creates. Running tasks continue. An ended pipeline does not change.
    async fn cancel(&self) -> worker::Result<Found<Value>> {
        if self.read(|_| ()).is_none() {
            return Ok(Ok(None));
        }
        self.apply(RunEvent::Stopped { error: None })?;
        self.tell_planned();
        self.go_on().await?;
        self.report(None)
    }

    async fn forget(&self) -> worker::Result<Result<(), Refusal>> {
        if self.read(|_| ()).is_none() {
            return Ok(Ok(()));
        }
        if !self.has_ended() {
            return Ok(Err(Reason::PipelineRunning.into()));
        }
        // The ledgers must store the end first. A removed pipeline has no alarm to do it later.
        self.change_lifecycle(|record| {
            record.lifecycle.end_due = record.lifecycle.end_due.map(|_| timestamp_ms());
        })?;
        self.end(&*Upstream::shared(&self.env)?).await?;
        if self.is(|record| record.lifecycle.end_due.is_some()) || !self.has_ended() {
            return Ok(Err(Reason::LedgerFailed.into()));
        }
        self.forget_memory();
        Ok(Ok(self.stored.remove().await?))
    }
}
