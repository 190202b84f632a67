//! What the gateway requests of a pipeline.

use std::time::Duration;

use mediagate_core::Code;
use mediagate_core::pipeline::Event;

use super::object::{Handled, Inner};
use super::record::Record;
use crate::identity::Planned;
use crate::objects::{Grant, LedgerClient, NewPipeline, PipelineEntry, PipelineReport, PipelineRequest};
use crate::platform::timestamp_ms;
use crate::refusal::Refusal;

impl Inner {
    pub(super) async fn handle(&self, request: PipelineRequest) -> Handled {
        let is_there = self.load()?;
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
            PipelineRequest::Subscribe { .. } => Ok(Err(Refusal::internal("pipeline"))),
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

    async fn start(&self, new: NewPipeline) -> Handled {
        let fingerprint = new.fingerprint.clone();
        if self.read(|_| ()).is_none() {
            let Some(record) = Record::new(new, timestamp_ms()) else {
                return Ok(Err(Refusal::internal("pipeline")));
            };
            self.insert(record)?;
        }
        self.go_on().await?;
        self.report(Some(&fingerprint))
    }

    async fn resume(&self, grant: Grant) -> Handled {
        let upstream = self.upstream()?;
        let anew = self.read(|it| {
            let steps = it.steps_anew();
            let entry = PipelineEntry {
                name: it.fixed.name.name.clone(),
                title: it.plan.title.clone(),
                planned: Planned::count(steps.iter().map(|it| it.capability.group())),
                budget: grant.budget,
                max_running: upstream.settings.pipelines.at_once,
            };
            let is_resumable = it.course.ended_at.is_some() && it.run.may_resume(&it.plan);
            is_resumable.then(|| (entry, steps.into_iter().any(Record::takes_files)))
        });
        let Some((entry, takes_files)) = anew.flatten() else { return Ok(Err(self.not_resumable())) };
        if takes_files && !grant.upload {
            return Ok(Err(Refusal::forbidden("scope", "the session token's scope does not allow upload")));
        }
        let (ledgers, planned) = (LedgerClient::new(&self.env, &upstream.settings), entry.planned);
        if let Some(pool) = grant.pool
            && let Err(refusal) = ledgers.check_planned(planned, pool).await
        {
            return Ok(Err(refusal));
        }
        if let Err(refusal) = ledgers.begin_pipeline(&self.subject(), entry).await {
            return Ok(Err(refusal));
        }
        // Another request may have resumed it meanwhile.
        if self.read(|it| it.course.ended_at.is_some()).unwrap_or_default() {
            self.change_course(|it| {
                it.course.grant = grant;
                it.course.started_at = timestamp_ms();
                it.course.ended_at = None;
                it.course.is_noted = false;
            })?;
            self.apply(Event::Resumed)?;
        }
        self.go_on().await?;
        self.report(None)
    }

    fn not_resumable(&self) -> Refusal {
        let message = match self.read(|it| it.course.ended_at.is_none()).unwrap_or_default() {
            true => "the pipeline is still running; wait for its end, or cancel it",
            false => {
                "nothing of the pipeline can begin anew: its steps succeeded, or wait for one whose outcome is unknown"
            }
        };
        Refusal::new(409, Code::INVALID_INPUT, "not_resumable", message)
    }

    /// What is not sent yet is not sent. Of a pipeline that has ended, nothing changes.
    async fn cancel(&self) -> Handled {
        self.apply(Event::Stopped { error: None })?;
        if self.read(|it| it.course.ended_at.is_none()).unwrap_or_default() && self.wake.borrow().is_none() {
            self.stored.set_alarm(Duration::ZERO).await?;
        }
        self.report(None)
    }

    async fn forget(&self) -> Handled {
        if self.read(|it| it.course.ended_at.is_none()).unwrap_or_default() {
            let message = "the pipeline is still running; cancel it or wait for its end, then remove it";
            return Ok(Err(Refusal::new(409, Code::INVALID_INPUT, "pipeline_running", message)));
        }
        self.stored.delete().await?;
        self.forget_memory();
        Ok(Ok(PipelineReport::Forgotten))
    }
}
