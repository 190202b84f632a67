use std::pin::pin;
use std::rc::Rc;
use std::time::Duration;

use futures_channel::mpsc::{UnboundedReceiver, unbounded};
use futures_util::future::{Either, LocalBoxFuture, pending, select};
use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt, StreamExt};
use mediagate_access::crypto::hash;
use mediagate_access::refusal::Refusal;
use mediagate_core::Reason;
use mediagate_messages::LedgerClient;
use mediagate_pipeline::{Action, RunEvent, StepState};
use mediagate_platform::timestamp_ms;
use mediagate_upstream_client::Upstream;
use serde_json::json;
use worker::Delay;

use super::act::act;
use super::object::Inner;
use super::record::{PipelineRecord, UNCHARGED_MS, not_before};
use super::refusals::error;
use super::view::state;
use crate::webhooks::payload;

/// The longest run of one alarm. The platform ends an alarm after 15 minutes.
const WINDOW_MS: i64 = 12 * 60 * 1000;
/// The interval of heartbeats to subscribers. At each, the alarm after an interruption is moved,
/// too.
const TICK_MS: i64 = 10_000;
const AFTER_INTERRUPTION: Duration = Duration::from_secs(20);
/// The pause before an end is stored in the ledgers again.
pub(super) const END_RETRY_MS: i64 = 30_000;

#[derive(Clone, PartialEq)]
struct Work {
    action: Action,
    attempt: u32,
}

/// The actions that are under way. Each ends with an event.
type UnderWay = FuturesUnordered<LocalBoxFuture<'static, (Work, RunEvent)>>;

impl Inner {
    pub(super) async fn on_alarm(self: Rc<Self>) -> worker::Result<()> {
        let upstream = Upstream::shared(&self.env)?;
        if !self.load()? {
            self.deliver(&upstream).await?;
            // During the delivery, another pipeline may have been started under this key.
            return if self.load()? {
                self.set_next_alarm(&upstream).await
            } else {
                self.stored.remove().await
            };
        }
        self.subscribers.prune(timestamp_ms());
        self.notify();
        self.stored.set_alarm(AFTER_INTERRUPTION).await?;
        // A pipeline that was cancelled before its first alarm is counted, too: it was started.
        self.count(&upstream).await?;
        if self.is(PipelineRecord::is_running) {
            let (sender, woken) = unbounded();
            *self.wake.borrow_mut() = Some(sender);
            let ran = Rc::clone(&self).run(&upstream, woken).await;
            *self.wake.borrow_mut() = None;
            ran?;
        }
        if !self.is(PipelineRecord::is_running) {
            self.end(&upstream).await?;
        }
        self.deliver(&upstream).await?;
        self.set_next_alarm(&upstream).await
    }

    /// Requests that the ledgers count the pipeline. Before that, they only have a reservation.
    async fn count(&self, upstream: &Upstream) -> worker::Result<()> {
        if self.is(|record| record.lifecycle.is_counted) || self.has_ended() {
            return Ok(());
        }
        let Some((name, title, planned, grant)) = self.read(|record| {
            let name = record.fixed.name.clone();
            let title = record.plan.title.clone();
            let grant = record.lifecycle.grant.clone();
            (name, title, record.planned(), grant)
        }) else {
            // There is no pipeline.
            return Ok(());
        };
        let is_counted = LedgerClient::new(&self.env, &upstream.settings)
            .count_pipeline(&name, title.as_deref(), planned, &grant)
            .await;
        self.change_lifecycle(|record| record.lifecycle.is_counted = is_counted)
    }

    /// Carries out actions in parallel. Returns if the run has ended, if it only waits for a time,
    /// or after [`WINDOW_MS`].
    async fn run(
        self: Rc<Self>,
        upstream: &Rc<Upstream>,
        mut woken: UnboundedReceiver<()>,
    ) -> worker::Result<()> {
        let end = timestamp_ms() + WINDOW_MS;
        let mut under_way = UnderWay::new();
        let mut begun: Vec<Work> = Vec::new();
        let mut ticked_at = timestamp_ms();
        while self.is(PipelineRecord::is_running) {
            self.stop_if_too_old(upstream)?;
            for work in self.due_work() {
                if begun.contains(&work) {
                    continue;
                }
                begun.push(work.clone());
                let inner = Rc::clone(&self);
                let upstream = Rc::clone(upstream);
                let acted = async move {
                    let event = act(&inner, &upstream, work.action.clone()).await;
                    (work, event)
                };
                under_way.push(acted.boxed_local());
            }
            if under_way.is_empty() {
                // The run only waits for a time. An alarm at that time lets the object sleep.
                return Ok(());
            }
            let mut tick = Delay::from(self.until_tick(ticked_at)).boxed_local();
            let mut done = pin!(under_way.next().then(async |acted| match acted {
                Some(acted) => acted,
                None => pending().await,
            }));
            let next = select(done.as_mut(), woken.next());
            match select(next, tick.as_mut()).await {
                Either::Left((Either::Left(((work, event), _)), _)) => {
                    begun.retain(|other| *other != work);
                    self.finish(&work, event)?;
                }
                Either::Left((Either::Right(_), _)) => {}
                Either::Right(_) => {
                    let now = timestamp_ms();
                    if now > end {
                        return Ok(());
                    }
                    // Before the next tick, only a postponed create is due.
                    if now >= ticked_at + TICK_MS {
                        ticked_at = now;
                        self.subscribers.prune(now);
                        self.notify();
                        self.stored.set_alarm(AFTER_INTERRUPTION).await?;
                        self.deliver(upstream).await?;
                    }
                }
            }
        }
        Ok(())
    }

    fn finish(&self, work: &Work, event: RunEvent) -> worker::Result<()> {
        let step = work.action.step();
        let attempt = self
            .read(|record| record.run.steps.get(step).map(|run| run.attempt))
            .flatten();
        let is_stop = matches!(event, RunEvent::Stopped { .. });
        if attempt != Some(work.attempt) && !is_stop {
            // The step was resumed during the action. The event is about an earlier attempt.
            return Ok(());
        }
        let is_failure = matches!(event, RunEvent::Failed { .. } | RunEvent::Lost { .. });
        self.apply(event)?;
        if is_stop || is_failure {
            // The creates of cancelled and skipped steps are no longer planned.
            self.tell_planned();
        }
        Ok(())
    }

    fn due_work(&self) -> Vec<Work> {
        self.read(|record| due_work(record, timestamp_ms()))
            .unwrap_or_default()
    }

    /// Returns the time until the next tick, or until a postponed create is due.
    fn until_tick(&self, ticked_at: i64) -> Duration {
        let now = timestamp_ms();
        let actions = self.read(|record| record.run.next(&record.plan));
        let times = actions.iter().flatten().filter_map(not_before);
        let postponed = times.filter(|at| *at > now).min();
        let next_tick = ticked_at + TICK_MS;
        let at = postponed.map_or(next_tick, |at| at.min(next_tick));
        Duration::from_millis((at - now).max(0).unsigned_abs())
    }

    /// Sends the number of planned creates to the ledger. Skipped and cancelled steps reduce it.
    pub(super) fn tell_planned(&self) {
        let planned = self.read(|record| (record.fixed.name.clone(), record.planned()));
        if let Some((name, planned)) = planned
            && let Ok(upstream) = Upstream::shared(&self.env)
        {
            let env = self.env.clone();
            self.stored.wait_until(async move {
                LedgerClient::new(&env, &upstream.settings)
                    .change_planned(&name.subject, &name.name, planned)
                    .await;
            });
        }
    }

    /// Ends a run that takes longer than pipelines may, or an hour without a charged create.
    fn stop_if_too_old(&self, upstream: &Upstream) -> worker::Result<()> {
        let now = timestamp_ms();
        if self.is(|record| record.uncharged_until().is_some_and(|until| until <= now)) {
            let why = error(Refusal::from(Reason::PipelineNotBegun));
            return self.apply(RunEvent::Stopped { error: Some(why) });
        }
        let lifetime = self.lifetime_ms(upstream);
        if !self.is(|record| now > record.lifecycle.started_at + lifetime) {
            return Ok(());
        }
        let why = error(Refusal::from(Reason::PipelineTooOld));
        self.apply(RunEvent::Stopped {
            error: Some(why.clone()),
        })?;
        let running = self.read(|record| {
            let steps = record.run.steps.iter().enumerate();
            let running = steps.filter(|(_, run)| matches!(run.state, StepState::Running { .. }));
            running.map(|(step, _)| step).collect::<Vec<_>>()
        });
        for step in running.unwrap_or_default() {
            self.apply(RunEvent::Failed {
                step,
                error: why.clone(),
            })?;
        }
        Ok(())
    }

    /// Stores the end of the pipeline, here and in the ledgers, and ends its streams.
    pub(super) async fn end(&self, upstream: &Upstream) -> worker::Result<()> {
        let now = timestamp_ms();
        if !self.has_ended() {
            self.change(|record| {
                record.lifecycle.ended_at = Some(now);
                record.lifecycle.end_count += 1;
                record.lifecycle.end_due = Some(now);
            });
            // Deliveries are stored before the end. If this fails, the end is handled again.
            self.add_deliveries(upstream, now)?;
            self.change_lifecycle(|_| ())?;
            self.changed();
        }
        self.subscribers.end(None);
        let ending = self.read(|record| {
            let is_due = record
                .lifecycle
                .end_due
                .is_some_and(|due| due <= timestamp_ms());
            is_due.then(|| {
                let state = state(record.run.state());
                (record.lifecycle.end_count, record.fixed.name.clone(), state)
            })
        });
        let Some((end_count, name, state)) = ending.flatten() else {
            // The ledgers have the end already, or the next attempt is later.
            return Ok(());
        };
        let is_stored = LedgerClient::new(&self.env, &upstream.settings)
            .end_pipeline(&name, state)
            .await;
        self.change_lifecycle(|record| {
            // If the pipeline was resumed during the requests, its next end must be stored, too.
            if record.has_ended() && record.lifecycle.end_count == end_count {
                record.lifecycle.end_due = (!is_stored).then(|| timestamp_ms() + END_RETRY_MS);
            }
        })
    }

    /// Stores the deliveries of the end to the app's backend. Later changes of the pipeline do not
    /// affect the message.
    fn add_deliveries(&self, upstream: &Upstream, now: i64) -> worker::Result<()> {
        let about = self.read(|record| {
            let kind = format!(
                "pipeline.{}",
                state(record.run.state()).to_ascii_lowercase()
            );
            // A later pipeline under this key has another token.
            let message = hash(&[
                "pipeline",
                &record.fixed.token,
                &record.lifecycle.end_count.to_string(),
            ]);
            (kind, message, json!(record.fixed.name.subject))
        });
        // Without a pipeline in memory there is no end to deliver.
        let Some((kind, message, subject)) = about else {
            return Ok(());
        };
        let Some(mut data) = self.view(upstream) else {
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

    /// Sets the alarm for the next action. Deletes a pipeline that ended long ago.
    pub(super) async fn set_next_alarm(&self, upstream: &Upstream) -> worker::Result<()> {
        let now = timestamp_ms();
        let stored_ms = self.stored_ms(upstream);
        if self.is(|record| record.is_over(stored_ms, now)) {
            self.forget_memory();
            return self.stored.remove().await;
        }
        let heartbeat = (!self.subscribers.is_empty()).then_some(now + TICK_MS);
        let next = self.read(|record| match record.lifecycle.ended_at {
            // The ledgers must store the end before the pipeline is deleted.
            Some(ended_at) => record.lifecycle.end_due.unwrap_or(ended_at + stored_ms),
            None => {
                let action = record.next_action_at(now).unwrap_or(now);
                let too_old = record.lifecycle.started_at + self.lifetime_ms(upstream);
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

    fn stored_ms(&self, upstream: &Upstream) -> i64 {
        match self.read(PipelineRecord::may_be_charged) {
            Some(false) => UNCHARGED_MS,
            _ => self.lifetime_ms(upstream),
        }
    }
}

/// Returns all actions except postponed creates that are not due.
fn due_work(record: &PipelineRecord, now: i64) -> Vec<Work> {
    let mut due = Vec::new();
    for action in record.run.next(&record.plan) {
        if not_before(&action).is_some_and(|at| at > now) {
            continue;
        }
        let run = record.run.steps.get(action.step());
        let attempt = run.map_or(0, |run| run.attempt);
        due.push(Work { action, attempt });
    }
    due
}
