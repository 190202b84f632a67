//! What the gateway requests of a pipeline.

use std::time::Duration;

use mediagate_core::Code;
use mediagate_core::pipeline::{Event, Step};

use super::object::{Handled, Inner};
use super::record::Record;
use crate::identity::{Budget, Planned, Subject};
use crate::objects::{Grant, LedgerClient, NewPipeline, PipelineEntry, PipelineReport, PipelineRequest};
use crate::platform::timestamp_ms;
use crate::refusal::Refusal;

/// How long one request waits for another that starts the same pipeline.
const START_STEP: Duration = Duration::from_millis(50);
/// When the end is noted again in the ledger, where a resume is interrupted.
const NOTE_RETRY: Duration = Duration::from_secs(30);

impl Inner {
    pub(super) async fn handle(&self, request: PipelineRequest) -> Handled {
        // One that this build can't read can be removed all the same.
        if matches!(request, PipelineRequest::Forget) && self.load().is_err() {
            self.stored.delete().await?;
            return Ok(Ok(PipelineReport::Forgotten));
        }
        let is_there = self.load()? && !self.is_forgotten();
        match request {
            PipelineRequest::Start(new) => self.start(*new).await,
            _ if !is_there => Ok(Ok(PipelineReport::Unknown)),
            PipelineRequest::Read { fingerprint } => {
                self.go_on().await?;
                self.report(fingerprint.as_deref())
            }
            PipelineRequest::Resume(grant) => self.resume(grant).await,
            PipelineRequest::Cancel => self.cancel().await,
            PipelineRequest::Forget => self.forget().await,
            PipelineRequest::Subscribe(_) => Ok(Err(Refusal::internal("pipeline"))),
        }
    }

    /// The pipeline, unless it was started with another request than that with this fingerprint.
    fn report(&self, fingerprint: Option<&str>) -> Handled {
        let is_other = |it: &Record| fingerprint.is_some_and(|fingerprint| it.fixed.fingerprint != fingerprint);
        if self.read(is_other).unwrap_or_default() {
            let message = "this Idempotency-Key was used with another pipeline; use a new key for a new request";
            return Ok(Err(Refusal::new(422, Code::INVALID_INPUT, "idempotency_key_reused", message)));
        }
        let view = self.view(&*self.upstream()?);
        Ok(Ok(view.map_or(PipelineReport::Unknown, PipelineReport::Pipeline)))
    }

    /// Starts it once: another request with the same name waits for the first.
    async fn start(&self, new: NewPipeline) -> Handled {
        let fingerprint = new.fingerprint.clone();
        while self.is_starting.get() {
            worker::Delay::from(START_STEP).await;
        }
        if self.read(|_| ()).is_none() || self.is_forgotten() {
            self.is_starting.set(true);
            let started = self.begin(new).await;
            self.is_starting.set(false);
            if let Err(refusal) = started? {
                return Ok(Err(refusal));
            }
        }
        self.go_on().await?;
        self.report(Some(&fingerprint))
    }

    async fn begin(&self, new: NewPipeline) -> worker::Result<Result<(), Refusal>> {
        let Some(record) = Record::new(new, timestamp_ms()) else {
            return Ok(Err(Refusal::internal("pipeline")));
        };
        let grant = &record.course.grant;
        let entry = self.entry(&record, record.planned(), grant.budget)?;
        if let Err(refusal) = self.count(&record.fixed.name.subject, entry, grant.pool).await? {
            return Ok(Err(refusal));
        }
        self.insert(record)?;
        Ok(Ok(()))
    }

    /// What the ledger writes down of it, where these creates are to come.
    fn entry(&self, record: &Record, planned: Planned, budget: Budget) -> worker::Result<PipelineEntry> {
        let max_running = self.upstream()?.settings.pipelines.at_once;
        let (name, title) = (record.fixed.name.name.clone(), record.plan.title.clone());
        Ok(PipelineEntry { name, title, planned, budget, max_running })
    }

    /// Has the ledger count it as one that runs.
    async fn count(
        &self,
        subject: &Subject,
        entry: PipelineEntry,
        pool: Option<Budget>,
    ) -> worker::Result<Result<(), Refusal>> {
        let upstream = self.upstream()?;
        let ledgers = LedgerClient::new(&self.env, &upstream.settings);
        if let Some(pool) = pool
            && let Err(refusal) = ledgers.check_planned(entry.planned, pool).await
        {
            return Ok(Err(refusal));
        }
        Ok(ledgers.begin_pipeline(subject, entry).await)
    }

    async fn resume(&self, grant: Grant) -> Handled {
        let is_resumable = |it: &Record| it.has_ended() && it.run.may_resume(&it.plan);
        if !self.read(is_resumable).unwrap_or_default() {
            return Ok(Err(self.not_resumable()));
        }
        let anew = self.read(|it| {
            let steps = it.steps_anew();
            let planned = Planned::count(steps.iter().map(|it| it.capability.group()));
            (self.entry(it, planned, grant.budget), steps.into_iter().any(Step::takes_files))
        });
        let Some((entry, takes_files)) = anew else { return Ok(Ok(PipelineReport::Unknown)) };
        if takes_files && !grant.upload {
            return Ok(Err(Refusal::forbidden("scope", "the session token's scope does not allow upload")));
        }
        // Where it does not go on after all, the ledger has to have the end once more.
        self.change_course(|it| it.course.is_noted = false)?;
        self.stored.set_alarm(NOTE_RETRY).await?;
        if let Err(refusal) = self.count(&self.subject(), entry?, grant.pool).await? {
            return Ok(Err(refusal));
        }
        // Another request may have resumed it meanwhile.
        if self.read(is_resumable).unwrap_or_default() {
            self.change_course(|it| {
                it.course.grant = grant;
                it.course.started_at = timestamp_ms();
                it.course.ended_at = None;
            })?;
            self.apply(Event::Resumed)?;
        }
        self.go_on().await?;
        self.report(None)
    }

    fn not_resumable(&self) -> Refusal {
        let message = match self.has_ended() {
            false => "the pipeline is still running; wait for its end, or cancel it",
            true => {
                "nothing of the pipeline can begin anew: its steps succeeded, or wait for one whose outcome is unknown"
            }
        };
        Refusal::new(409, Code::INVALID_INPUT, "not_resumable", message)
    }

    /// What is not sent yet is not sent. Of a pipeline that has ended, nothing changes.
    async fn cancel(&self) -> Handled {
        self.apply(Event::Stopped { error: None })?;
        self.tell_planned();
        self.go_on().await?;
        self.report(None)
    }

    async fn forget(&self) -> Handled {
        if !self.has_ended() {
            let message = "the pipeline is still running; cancel it or wait for its end, then remove it";
            return Ok(Err(Refusal::new(409, Code::INVALID_INPUT, "pipeline_running", message)));
        }
        if self.read(|it| it.course.deliveries.is_empty()).unwrap_or(true) {
            self.stored.delete().await?;
            self.forget_memory();
        } else {
            // The app's backend is notified of its end all the same.
            self.change_course(|it| it.course.is_forgotten = true)?;
        }
        Ok(Ok(PipelineReport::Forgotten))
    }
}
