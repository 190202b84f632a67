//! Runs a pipeline, and what follows its end.

use std::pin::pin;
use std::rc::Rc;
use std::time::Duration;

use futures_channel::mpsc::{UnboundedReceiver, unbounded};
use futures_util::future::{Either, LocalBoxFuture, pending, select};
use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt, StreamExt};
use mediagate_core::Reason;
use mediagate_pipeline::{Action, RunEvent, StepState};
use serde_json::json;
use worker::Delay;

use super::act::act;
use super::object::Inner;
use super::record::{PipelineRecord, UNCHARGED_MS};
use super::refusals::error;
use super::run_starts::RunStarts;
use super::view::state;
use crate::crypto::hash;
use crate::objects::{LedgerClient, PipelineCount};
use crate::platform::timestamp_ms;
use crate::refusal::Refusal;
use crate::upstream::Upstream;
use crate::webhooks::payload;

/// How long one alarm runs a pipeline: the platform ends an alarm after 15 minutes.
const WINDOW_MS: i64 = 13 * 60 * 1000;
/// How often subscribers receive something, and the alarm is set that goes on after an interruption, in milliseconds.
const TICK_MS: i64 = 10_000;
/// How soon a run that is interrupted goes on.
const GOES_ON: Duration = Duration::from_secs(20);
/// When an end is noted again that could not be, in milliseconds.
pub(super) const NOTE_RETRY_MS: i64 = 30_000;

/// What is under way: the step, its attempt, and what is done for it.
type Key = (usize, u32, Action);
type UnderWay = FuturesUnordered<LocalBoxFuture<'static, (Key, RunEvent)>>;

impl Inner {
    pub(super) async fn on_alarm(self: Rc<Self>) -> worker::Result<()> {
        let upstream = self.upstream()?;
        if !self.load()? {
            self.deliver(&upstream).await?;
            // Another pipeline may have been started under the same key meanwhile.
            return if self.load()? {
                self.set_next_alarm(&upstream).await
            } else {
                self.stored.remove().await
            };
        }
        self.subscribers.prune(timestamp_ms());
        self.notify();
        self.stored.set_alarm(GOES_ON).await?;
        // Also one that was cancelled before its first alarm: it was started.
        self.count(&upstream).await?;
        if self.read(PipelineRecord::is_running).unwrap_or_default() {
            if self.is_due() && !RunStarts::take(timestamp_ms()) {
                let retry_at = RunStarts::retry_at(timestamp_ms(), js_sys::Math::random());
                return self.stored.set_alarm_at(retry_at).await;
            }
            let (sender, woken) = unbounded();
            *self.wake.borrow_mut() = Some(sender);
            let ran = Rc::clone(&self).run(&upstream, woken).await;
            *self.wake.borrow_mut() = None;
            ran?;
        }
        if !self.read(PipelineRecord::is_running).unwrap_or_default() {
            self.end(&upstream).await?;
        }
        self.deliver(&upstream).await?;
        self.set_next_alarm(&upstream).await
    }

    /// Whether the run has something to do now, besides waiting for a time.
    fn is_due(&self) -> bool {
        let now = timestamp_ms();
        self.read(|record| record.next_action_at(now))
            .flatten()
            .is_some_and(|due| due <= now)
    }

    /// Has the ledgers count it. Until then they have only reserved its place.
    async fn count(&self, upstream: &Upstream) -> worker::Result<()> {
        let uncounted = self.read(|record| {
            let course = &record.course;
            let count = record.count(&course.grant, &[]);
            let count = PipelineCount {
                planned: record.planned(),
                ..count
            };
            (!course.is_counted && !record.has_ended()).then(|| (record.fixed.name.clone(), count))
        });
        let Some((name, count)) = uncounted.flatten() else {
            return Ok(());
        };
        let is_counted = LedgerClient::new(&self.env, &upstream.settings)
            .count_pipeline(&name, &count)
            .await;
        self.change_course(|record| record.course.is_counted = is_counted)
    }

    /// Does what is to be done, side by side where it may be, until nothing is left, or the run only waits for a time, or the
    /// alarm's time is over.
    async fn run(
        self: Rc<Self>,
        upstream: &Rc<Upstream>,
        mut woken: UnboundedReceiver<()>,
    ) -> worker::Result<()> {
        let end = timestamp_ms() + WINDOW_MS;
        let mut under_way = UnderWay::new();
        let mut keys: Vec<Key> = Vec::new();
        let mut ticked_at = timestamp_ms();
        while self.read(PipelineRecord::is_running).unwrap_or_default() {
            self.stop_if_too_old(upstream)?;
            for key in self
                .due_actions()
                .into_iter()
                .filter(|key| !keys.contains(key))
                .collect::<Vec<_>>()
            {
                keys.push(key.clone());
                let (inner, upstream) = (Rc::clone(&self), Rc::clone(upstream));
                let acted = async move {
                    act(&inner, &upstream, key.2.clone())
                        .map(|it| (key.clone(), it))
                        .await
                };
                under_way.push(acted.boxed_local());
            }
            if under_way.is_empty() {
                // It only waits for a time: the alarm goes on then, and nothing is held meanwhile.
                return Ok(());
            }
            let mut tick = Delay::from(self.until_tick(ticked_at)).boxed_local();
            let mut done = pin!(under_way.next().then(async |it| match it {
                Some(it) => it,
                None => pending().await,
            }));
            let next = select(done.as_mut(), woken.next());
            match select(next, tick.as_mut()).await {
                Either::Left((Either::Left(((key, event), _)), _)) => {
                    keys.retain(|it| *it != key);
                    // What belongs to an earlier attempt is too late.
                    let attempt = self
                        .read(|it| it.run.steps.get(key.0).map(|it| it.attempt))
                        .flatten();
                    if attempt == Some(key.1) || matches!(event, RunEvent::Stopped { .. }) {
                        let may_leave_unsent = matches!(
                            event,
                            RunEvent::Stopped { .. }
                                | RunEvent::Failed { .. }
                                | RunEvent::Lost { .. }
                        );
                        self.apply(event)?;
                        if may_leave_unsent {
                            self.tell_planned();
                        }
                    }
                }
                Either::Left((Either::Right(_), _)) => {}
                Either::Right(_) => {
                    let now = timestamp_ms();
                    if now > end {
                        return Ok(());
                    }
                    // Otherwise a postponed create is due.
                    if now >= ticked_at + TICK_MS {
                        ticked_at = now;
                        self.subscribers.prune(now);
                        self.notify();
                        self.stored.set_alarm(GOES_ON).await?;
                        self.deliver(upstream).await?;
                    }
                }
            }
        }
        Ok(())
    }

    /// The actions that may be done now: all but creates that were postponed until later.
    fn due_actions(&self) -> Vec<Key> {
        let now = timestamp_ms();
        let is_due = |action: &Action| !matches!(action, Action::Begin { not_before, .. } if *not_before > now);
        let keyed = |record: &PipelineRecord| {
            let attempt = |step: usize| record.run.steps.get(step).map_or(0, |run| run.attempt);
            let actions = record.run.next(&record.plan).into_iter().filter(is_due);
            actions
                .map(|action| (action.step(), attempt(action.step()), action))
                .collect()
        };
        self.read(keyed).unwrap_or_default()
    }

    /// How long the run waits for what is under way, before it looks at the time again.
    fn until_tick(&self, ticked_at: i64) -> Duration {
        let now = timestamp_ms();
        let is_later = |action: &Action| match action {
            Action::Begin { not_before, .. } => Some(*not_before).filter(|at| *at > now),
            _ => None,
        };
        let postponed = self
            .read(|record| {
                record
                    .run
                    .next(&record.plan)
                    .iter()
                    .filter_map(is_later)
                    .min()
            })
            .flatten();
        let at = postponed.unwrap_or(i64::MAX).min(ticked_at + TICK_MS);
        Duration::from_millis((at - now).max(0).unsigned_abs())
    }

    /// Has the ledger know how many creates are still to come: fewer, once steps are skipped or cancelled.
    pub(super) fn tell_planned(&self) {
        let planned = self.read(|it| (it.fixed.name.clone(), it.planned()));
        if let (Some((name, planned)), Ok(upstream)) = (planned, self.upstream()) {
            let env = self.env.clone();
            self.stored.wait_until(async move {
                LedgerClient::new(&env, &upstream.settings)
                    .change_planned(&name.subject, &name.name, planned)
                    .await;
            });
        }
    }

    /// Ends a run that takes longer than pipelines may, or that has charged nothing for an hour.
    fn stop_if_too_old(&self, upstream: &Upstream) -> worker::Result<()> {
        let now = timestamp_ms();
        if self
            .read(|record| record.uncharged_until().is_some_and(|until| until <= now))
            .unwrap_or_default()
        {
            let why = error(Refusal::from(Reason::PipelineNotBegun));
            return self.apply(RunEvent::Stopped { error: Some(why) });
        }
        let lifetime = self.lifetime_ms(upstream);
        if self
            .read(|it| timestamp_ms() <= it.course.started_at + lifetime)
            .unwrap_or(true)
        {
            return Ok(());
        }
        let why = error(Refusal::from(Reason::PipelineTooOld));
        self.apply(RunEvent::Stopped {
            error: Some(why.clone()),
        })?;
        let is_running = |it: &StepState| matches!(it, StepState::Running { .. });
        let running = self.read(|it| {
            it.run
                .steps
                .iter()
                .map(|it| is_running(&it.state))
                .collect::<Vec<_>>()
        });
        for (step, _) in running
            .unwrap_or_default()
            .into_iter()
            .enumerate()
            .filter(|it| it.1)
        {
            self.apply(RunEvent::Failed {
                step,
                error: why.clone(),
            })?;
        }
        Ok(())
    }

    /// Writes down that the pipeline has ended, and ends its streams.
    pub(super) async fn end(&self, upstream: &Upstream) -> worker::Result<()> {
        let now = timestamp_ms();
        if !self.has_ended() {
            self.change(|record| {
                record.course.ended_at = Some(now);
                record.course.endings += 1;
                record.course.note_due = Some(now);
            });
            // Before the end is stored: if this fails, it is done again.
            self.add_deliveries(upstream, now)?;
            self.change_course(|_| ())?;
            self.changed();
        }
        self.subscribers.end(None);
        let ending = self.read(|record| {
            let due = record
                .course
                .note_due
                .filter(|due| *due <= timestamp_ms())?;
            Some((
                due,
                record.course.endings,
                record.fixed.name.clone(),
                state(record.run.state()),
            ))
        });
        let Some((_, endings, name, state)) = ending.flatten() else {
            return Ok(());
        };
        let is_noted = LedgerClient::new(&self.env, &upstream.settings)
            .end_pipeline(&name, state)
            .await;
        self.change_course(|record| {
            // If it was resumed meanwhile, its next end is to be noted.
            if record.has_ended() && record.course.endings == endings {
                record.course.note_due = (!is_noted).then(|| timestamp_ms() + NOTE_RETRY_MS);
            }
        })
    }

    /// Has the app's backend notified of the end. The message is fixed now, whatever becomes of the pipeline.
    fn add_deliveries(&self, upstream: &Upstream, now: i64) -> worker::Result<()> {
        let about = self.read(|record| {
            let kind = format!(
                "pipeline.{}",
                state(record.run.state()).to_ascii_lowercase()
            );
            // A later pipeline under the same key has another token.
            let message = hash(&[
                "pipeline",
                &record.fixed.token,
                &record.course.endings.to_string(),
            ]);
            (kind, message, json!(record.fixed.name.subject))
        });
        let (Some((kind, message, subject)), Some(mut data)) = (about, self.view(upstream)) else {
            return Ok(());
        };
        data["subject"] = subject;
        self.stored.add_deliveries(
            &message,
            &payload(&kind, now, &data),
            &upstream.settings.webhook_urls,
            now,
        )
    }

    /// Sets the alarm for what is to be done next; deletes a pipeline that ended long ago.
    pub(super) async fn set_next_alarm(&self, upstream: &Upstream) -> worker::Result<()> {
        let now = timestamp_ms();
        let stored_ms = self.stored_ms(upstream);
        let is_over = |record: &PipelineRecord| {
            record.course.note_due.is_none()
                && record
                    .course
                    .ended_at
                    .is_some_and(|at| now >= at + stored_ms)
        };
        if self.read(is_over).unwrap_or_default() {
            self.forget_memory();
            return self.stored.remove().await;
        }
        let heartbeat = (!self.subscribers.is_empty()).then_some(now + TICK_MS);
        let next = self.read(|record| match record.course.ended_at {
            // It is stored until its end is noted.
            Some(ended_at) => record.course.note_due.unwrap_or(ended_at + stored_ms),
            None => {
                let action = record.next_action_at(now).unwrap_or(now);
                let too_old = record.course.started_at + self.lifetime_ms(upstream);
                let times = [
                    Some(action),
                    Some(too_old),
                    record.uncharged_until(),
                    heartbeat,
                ];
                times.into_iter().flatten().min().unwrap_or(now)
            }
        });
        match next.into_iter().chain(self.stored.next_delivery()?).min() {
            Some(at) => self.stored.set_alarm_at(at).await,
            None => Ok(()),
        }
    }

    /// How long it is stored once it has ended, in milliseconds: shorter if none of its creates can have been charged.
    fn stored_ms(&self, upstream: &Upstream) -> i64 {
        match self.read(PipelineRecord::may_be_charged) {
            Some(false) => UNCHARGED_MS,
            _ => self.lifetime_ms(upstream),
        }
    }
}
