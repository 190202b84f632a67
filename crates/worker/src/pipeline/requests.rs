//! Handles the gateway's requests to a pipeline.

use mediagate_core::Reason;
use mediagate_pipeline::{RunEvent, StoredPlan};

use super::object::Inner;
use super::record::PipelineRecord;
use super::run::NOTE_RETRY_MS;
use crate::objects::{LedgerClient, NewPipeline, PipelineReport, PipelineRequest, Resumption};
use crate::platform::timestamp_ms;
use crate::refusal::Refusal;
use crate::upstream::Upstream;

impl Inner {
    pub(super) async fn handle(&self, request: PipelineRequest) -> worker::Result<PipelineReport> {
        // A pipeline that this build can't read can still be removed.
        if matches!(request, PipelineRequest::Forget) && self.load().is_err() {
            self.stored.remove().await?;
            return Ok(PipelineReport::Forgotten);
        }
        let is_there = self.load()?;
        match request {
            PipelineRequest::Start(new) => self.start(*new).await,
            _ if !is_there => Ok(PipelineReport::Unknown),
            PipelineRequest::Read { fingerprint } => {
                self.go_on().await?;
                self.report(fingerprint.as_deref())
            }
            PipelineRequest::ReadResumable => Ok(self.resumable()),
            PipelineRequest::Resume(resumption) => self.resume(*resumption).await,
            PipelineRequest::Cancel => self.cancel().await,
            PipelineRequest::Forget => self.forget().await,
            PipelineRequest::Subscribe(_) => Ok(refused(Reason::PipelineFailed)),
        }
    }

    /// Returns the pipeline. Refuses if a request with another fingerprint started it.
    fn report(&self, fingerprint: Option<&str>) -> worker::Result<PipelineReport> {
        let is_other = |record: &PipelineRecord| {
            fingerprint.is_some_and(|fingerprint| record.fixed.fingerprint != fingerprint)
        };
        if self.is(is_other) {
            return Ok(refused(Reason::IdempotencyKeyReused));
        }
        let view = self.view(&*Upstream::shared(&self.env)?);
        Ok(view.map_or(PipelineReport::Unknown, PipelineReport::Pipeline))
    }

    /// Starts the pipeline, unless it exists. The gateway has reserved its place.
    async fn start(&self, new: NewPipeline) -> worker::Result<PipelineReport> {
        let fingerprint = new.fingerprint.clone();
        if self.read(|_| ()).is_none() {
            let Some(record) = PipelineRecord::new(new, timestamp_ms()) else {
                return Ok(refused(Reason::PipelineFailed));
            };
            self.insert(record)?;
        } else if self.has_ended() {
            // It does not need the place that was just reserved. Storing its end frees the place.
            self.note_again().await?;
        }
        self.go_on().await?;
        self.report(Some(&fingerprint))
    }

    /// Returns the steps that a resume would begin again. The gateway prepares them for the caller
    /// who resumes the pipeline.
    fn resumable(&self) -> PipelineReport {
        let report = self.read(|record| PipelineReport::Resumable {
            plan: StoredPlan::from(&record.plan),
            token: record.fixed.token.clone(),
            inputs: record.inputs.clone(),
            steps: record.steps_to_resume(),
        });
        report
            .filter(|_| self.is_resumable())
            .unwrap_or_else(|| self.not_resumable())
    }

    fn is_resumable(&self) -> bool {
        self.is(|record| record.has_ended() && record.run.may_resume(&record.plan))
    }

    /// Returns true if a resumption has the bodies of all steps that would begin again. Another
    /// request may have changed the pipeline since the bodies were prepared.
    fn fits(&self, resumption: &Resumption) -> bool {
        let has_bodies = |record: &PipelineRecord| {
            record.fixed.token == resumption.token
                && record
                    .steps_to_resume()
                    .iter()
                    .all(|step| resumption.bodies.contains_key(step))
        };
        self.is_resumable() && self.is(has_bodies)
    }

    async fn resume(&self, resumption: Resumption) -> worker::Result<PipelineReport> {
        if !self.fits(&resumption) {
            return Ok(self.not_resumable());
        }
        let resumed = self.read(|record| {
            let count = record.count(&resumption.grant, &record.steps_to_resume());
            (record.fixed.name.clone(), count)
        });
        let Some((name, count)) = resumed else {
            return Ok(PipelineReport::Unknown);
        };
        // The reservation replaces the end in the ledger. If the resume fails after it, the end
        // must be stored again.
        self.note_again().await?;
        let upstream = Upstream::shared(&self.env)?;
        let ledgers = LedgerClient::new(&self.env, &upstream.settings);
        if let Err(refusal) = ledgers.reserve_pipeline(&name, &count).await {
            return Ok(PipelineReport::Refused(refusal));
        }
        // Another request may have resumed the pipeline while the places were reserved.
        if self.fits(&resumption) {
            self.replace_bodies(resumption.bodies)?;
            self.change_course(|record| {
                record.course.grant = resumption.grant;
                record.course.started_at = timestamp_ms();
                record.course.ended_at = None;
                record.course.is_counted = false;
                record.course.note_due = None;
            })?;
            self.apply(RunEvent::Resumed)?;
        }
        self.go_on().await?;
        self.report(None)
    }

    /// Schedules storing the end in the ledgers again.
    async fn note_again(&self) -> worker::Result<()> {
        self.change_course(|record| {
            record
                .course
                .note_due
                .get_or_insert(timestamp_ms() + NOTE_RETRY_MS);
        })?;
        self.set_next_alarm(&*Upstream::shared(&self.env)?).await
    }

    fn not_resumable(&self) -> PipelineReport {
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
        PipelineReport::Refused(Refusal::new(Reason::NotResumable, message))
    }

    /// Stops sending creates. Running tasks continue. An ended pipeline does not change.
    async fn cancel(&self) -> worker::Result<PipelineReport> {
        self.apply(RunEvent::Stopped { error: None })?;
        self.tell_planned();
        self.go_on().await?;
        self.report(None)
    }

    async fn forget(&self) -> worker::Result<PipelineReport> {
        if !self.has_ended() {
            return Ok(refused(Reason::PipelineRunning));
        }
        // The ledgers must store the end first. A removed pipeline has no alarm to do it later.
        self.change_course(|record| {
            record.course.note_due = record.course.note_due.map(|_| timestamp_ms());
        })?;
        self.end(&*Upstream::shared(&self.env)?).await?;
        if self.is(|record| record.course.note_due.is_some()) || !self.has_ended() {
            return Ok(refused(Reason::LedgerFailed));
        }
        self.forget_memory();
        self.stored.remove().await?;
        Ok(PipelineReport::Forgotten)
    }
}

fn refused(reason: Reason) -> PipelineReport {
    PipelineReport::Refused(Refusal::from(reason))
}
