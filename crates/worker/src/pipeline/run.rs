//! Runs a pipeline, and what follows its end.

use std::pin::pin;
use std::rc::Rc;
use std::time::Duration;

use futures_channel::mpsc::{UnboundedReceiver, unbounded};
use futures_util::future::{Either, LocalBoxFuture, join_all, pending, select};
use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt, StreamExt};
use mediagate_core::Code;
use mediagate_core::pipeline::{Action, Event, StepState};
use serde_json::json;
use worker::Delay;

use super::act::act;
use super::object::Inner;
use super::record::Record;
use super::refusals::error;
use super::view::state;
use crate::objects::LedgerClient;
use crate::platform::timestamp_ms;
use crate::refusal::Refusal;
use crate::upstream::Upstream;
use crate::webhooks::{Delivery, Message, payload};

/// How long one alarm runs a pipeline: the platform ends an alarm after 15 minutes.
const WINDOW_MS: i64 = 13 * 60 * 1000;
/// How often subscribers receive something, and the alarm is set that goes on after an interruption.
const TICK: Duration = Duration::from_secs(10);
/// How soon a run that is interrupted goes on.
const GOES_ON: Duration = Duration::from_secs(20);
/// How long a pipeline is stored whose creates were all refused, in milliseconds.
const UNCHARGED_MS: i64 = 60 * 60 * 1000;
/// When an end is noted again that could not be.
const NOTE_RETRY_MS: i64 = 30_000;

/// What is under way: the step, its attempt, and what is done for it.
type Key = (usize, u32, Action);
type UnderWay = FuturesUnordered<LocalBoxFuture<'static, (Key, Event)>>;

impl Inner {
    pub(super) async fn on_alarm(self: Rc<Self>) -> worker::Result<()> {
        if !self.load()? {
            return self.stored.delete().await;
        }
        let upstream = self.upstream()?;
        if self.read(Record::is_running).unwrap_or_default() {
            let (sender, woken) = unbounded();
            *self.wake.borrow_mut() = Some(sender);
            let ran = Rc::clone(&self).run(&upstream, woken).await;
            *self.wake.borrow_mut() = None;
            ran?;
        }
        if self.read(Record::is_running).unwrap_or_default() {
            return self.stored.set_alarm(Duration::ZERO).await;
        }
        self.end(&upstream).await?;
        self.deliver(&upstream).await?;
        self.set_next_alarm(&upstream).await
    }

    /// Does what is to be done, side by side where it may be, until nothing is left or the alarm's time is over.
    async fn run(self: Rc<Self>, upstream: &Rc<Upstream>, mut woken: UnboundedReceiver<()>) -> worker::Result<()> {
        let end = timestamp_ms() + WINDOW_MS;
        let mut under_way = UnderWay::new();
        let mut keys: Vec<Key> = Vec::new();
        self.stored.set_alarm(GOES_ON).await?;
        let mut tick = Delay::from(TICK).boxed_local();
        while self.read(Record::is_running).unwrap_or_default() {
            self.stop_if_too_old(upstream)?;
            for key in self.next_actions().into_iter().filter(|it| !keys.contains(it)).collect::<Vec<_>>() {
                keys.push(key.clone());
                let (inner, upstream) = (Rc::clone(&self), Rc::clone(upstream));
                let acted = async move { act(&inner, &upstream, key.2.clone()).map(|it| (key.clone(), it)).await };
                under_way.push(acted.boxed_local());
            }
            let mut done = pin!(under_way.next().then(async |it| match it {
                Some(it) => it,
                None => pending().await,
            }));
            let next = select(done.as_mut(), woken.next());
            match select(next, tick.as_mut()).await {
                Either::Left((Either::Left(((key, event), _)), _)) => {
                    keys.retain(|it| *it != key);
                    // What belongs to an earlier attempt is too late.
                    let attempt = self.read(|it| it.run.steps.get(key.0).map(|it| it.attempt)).flatten();
                    if attempt == Some(key.1) || matches!(event, Event::Stopped { .. }) {
                        let may_leave_unsent =
                            matches!(event, Event::Stopped { .. } | Event::Failed { .. } | Event::Lost { .. });
                        self.apply(event)?;
                        if may_leave_unsent {
                            self.tell_planned();
                        }
                    }
                }
                Either::Left((Either::Right(_), _)) => {}
                Either::Right(_) => {
                    if timestamp_ms() > end {
                        return Ok(());
                    }
                    tick = Delay::from(TICK).boxed_local();
                    self.subscribers.prune(timestamp_ms());
                    self.notify();
                    self.stored.set_alarm(GOES_ON).await?;
                }
            }
        }
        Ok(())
    }

    fn next_actions(&self) -> Vec<Key> {
        let keyed = |it: &Record| {
            let attempt = |step: usize| it.run.steps.get(step).map_or(0, |it| it.attempt);
            let actions = it.run.next(&it.plan).into_iter();
            actions.map(|action| (action.step(), attempt(action.step()), action)).collect()
        };
        self.read(keyed).unwrap_or_default()
    }

    /// Has the ledger know how many creates are still to come: fewer, once steps are skipped or cancelled.
    pub(super) fn tell_planned(&self) {
        let planned = self.read(|it| (it.fixed.name.clone(), it.planned()));
        if let (Some((name, planned)), Ok(upstream)) = (planned, self.upstream()) {
            let env = self.env.clone();
            self.stored.wait_until(async move {
                LedgerClient::new(&env, &upstream.settings).change_planned(&name.subject, &name.name, planned).await;
            });
        }
    }

    /// Ends a run that takes longer than pipelines may.
    fn stop_if_too_old(&self, upstream: &Upstream) -> worker::Result<()> {
        let lifetime = self.lifetime_ms(upstream);
        if self.read(|it| timestamp_ms() <= it.course.started_at + lifetime).unwrap_or(true) {
            return Ok(());
        }
        let message = "the pipeline ran for longer than the gateway's PIPELINE_DAYS; resume it to go on";
        let why = error(Refusal::new(504, Code::PROVIDER_TIMEOUT, "pipeline_too_old", message));
        self.apply(Event::Stopped { error: Some(why.clone()) })?;
        let is_running = |it: &StepState| matches!(it, StepState::Running { .. });
        let running = self.read(|it| it.run.steps.iter().map(|it| is_running(&it.state)).collect::<Vec<_>>());
        for (step, _) in running.unwrap_or_default().into_iter().enumerate().filter(|it| it.1) {
            self.apply(Event::Failed { step, error: why.clone() })?;
        }
        Ok(())
    }

    /// Writes down that the pipeline has ended, and ends its streams.
    async fn end(&self, upstream: &Upstream) -> worker::Result<()> {
        let now = timestamp_ms();
        if !self.has_ended() {
            let targets = &upstream.settings.webhook_urls;
            self.change_course(|it| {
                it.course.ended_at = Some(now);
                it.course.endings += 1;
                it.course.deliveries = targets.iter().map(|it| Delivery::new(it, now)).collect();
            })?;
            self.changed();
        }
        self.subscribers.end(None);
        if self.read(|it| !it.course.is_noted).unwrap_or_default() {
            let name = self.read(|it| (it.fixed.name.clone(), state(it.run.state())));
            let Some((name, state)) = name else { return Ok(()) };
            let ledgers = LedgerClient::new(&self.env, &upstream.settings);
            let is_noted = ledgers.end_pipeline(&name.subject, &name.name, state).await;
            // It may have been resumed meanwhile.
            self.change_course(|it| it.course.is_noted = is_noted && it.has_ended())?;
        }
        Ok(())
    }

    /// Attempts the deliveries that are due.
    async fn deliver(&self, upstream: &Upstream) -> worker::Result<()> {
        let due = self.read(|it| Delivery::due(&it.course.deliveries, timestamp_ms())).unwrap_or_default();
        if due.is_empty() {
            return Ok(());
        }
        let about = self.read(|it| {
            // It may have been resumed meanwhile.
            let ended_at = it.course.ended_at?;
            let kind = format!("pipeline.{}", state(it.run.state()).to_ascii_lowercase());
            let name = format!("{}.{}", it.fixed.name.name, it.course.endings);
            Some((kind, name, ended_at, json!(it.fixed.name.subject)))
        });
        let (Some((kind, name, ended_at, subject)), Some(mut data)) = (about.flatten(), self.view(upstream)) else {
            return Ok(());
        };
        data["subject"] = subject;
        let text = payload(&kind, ended_at, &data);
        let settings = &upstream.settings;
        let message = Message { about: [&settings.tenant, "pipeline", &name], payload: &text };
        let attempts = due.iter().map(async |it| {
            let (targets, keys) = (&settings.webhook_urls, &settings.webhook_keys);
            (it, it.attempt_to(targets, keys, &message, timestamp_ms()).await)
        });
        for (delivery, status) in join_all(attempts).await {
            let random = js_sys::Math::random();
            self.change_course(|it| {
                Delivery::record(&mut it.course.deliveries, delivery, status, timestamp_ms(), random);
            })?;
        }
        Ok(())
    }

    async fn set_next_alarm(&self, upstream: &Upstream) -> worker::Result<()> {
        let (now, lifetime) = (timestamp_ms(), self.stored_ms(upstream));
        let next = self.read(|it| {
            let Some(ended_at) = it.course.ended_at else { return now };
            let deliveries = it.course.deliveries.iter().map(|it| it.due);
            let note = (!it.course.is_noted).then_some(now + NOTE_RETRY_MS);
            deliveries.chain(note).chain([ended_at + lifetime]).min().unwrap_or(now)
        });
        match next {
            Some(at) if self.is_over(now, lifetime) && at <= now => {
                self.forget_memory();
                self.stored.delete().await
            }
            Some(at) => self.stored.set_alarm(Duration::from_millis((at - now).max(0).unsigned_abs())).await,
            None => Ok(()),
        }
    }

    /// How long it is stored once it has ended, in milliseconds: shorter where none of its creates can have been charged, and no
    /// longer than its webhooks need where its owner has removed it.
    fn stored_ms(&self, upstream: &Upstream) -> i64 {
        let is_removed = |it: &Record| it.course.is_forgotten && it.course.deliveries.is_empty();
        match self.read(|it| (is_removed(it), it.may_be_charged())) {
            Some((true, _)) => 0,
            Some((_, false)) => UNCHARGED_MS,
            _ => self.lifetime_ms(upstream),
        }
    }

    /// Whether it ended so long ago that it is no longer stored.
    fn is_over(&self, now: i64, lifetime: i64) -> bool {
        self.read(|it| it.course.ended_at.is_some_and(|it| now >= it + lifetime)).unwrap_or_default()
    }
}
