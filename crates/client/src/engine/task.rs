//! A task or a pipeline of the caller's: its last snapshot, and those who subscribe to the next ones (§3).

use alloc::vec::Vec;

use mediagate_core::{Capability, Type, Value, find};

use super::machine::{Engine, Outcome};
use crate::error::{Error, code};
use crate::platform::{Body, Id, Platform};
use crate::response::{Expected, finished, unknown};
use crate::state::call::{Call, Owner};
use crate::state::follow::Follow;
use crate::state::pending::Pending;
use crate::state::stream::Stream;
use crate::state::task::{MAX_QUEUED, Subscription, Task, Unread, poll_after_ms, state};

impl<P: Platform> Engine<P> {
    /// The task of a create, or a pipeline, by the snapshot in the response.
    pub(super) fn new_task(
        &mut self,
        gateway: Id,
        capability: Option<&'static Capability>,
        snapshot: P::Value,
    ) -> Id {
        let task = self.shared_task(gateway, capability, snapshot, true);
        self.update(task, snapshot, false);
        self.rest_if_unwatched(task);
        task
    }

    /// A task restored from what [`Engine::saved`] returned.
    ///
    /// # Errors
    /// `invalid_argument` for any other value; `crashed` for a client of an engine that failed.
    pub fn restore(&mut self, gateway: Id, saved: P::Value) -> Result<Id, Error<P::Value>> {
        const INVALID: &str = "this is not a saved task; give JSON.parse(JSON.stringify(task))";
        let platform = &self.platform;
        if !self.gateways.has(gateway) {
            return Err(Error::crashed(platform));
        }
        let named = saved.get("capability").and_then(|it| find(&it.text()?));
        let text = saved.get("id").filter(|it| it.kind() == Type::Text);
        let restored = text
            .zip(named)
            .and_then(|(id, capability)| match id.identifier() {
                Some(id) => Some((capability, unknown(platform, id, Some(capability)), false)),
                None => Some((
                    capability,
                    finished(platform, capability, saved.get("result")?),
                    true,
                )),
            });
        let Some((capability, snapshot, has_record)) = restored else {
            return Err(Error::new(platform, code::INVALID_ARGUMENT, INVALID));
        };
        Ok(self.shared_task(gateway, Some(capability), snapshot, has_record))
    }

    /// The same task, where the page has it already, or else a new one. The caller gets one more handle of it.
    pub(super) fn shared_task(
        &mut self,
        gateway: Id,
        capability: Option<&'static Capability>,
        snapshot: P::Value,
        has_record: bool,
    ) -> Id {
        let id = snapshot.get("id").and_then(|it| it.identifier());
        let is_same = |it: &Task<P::Value>| {
            it.gateway == gateway
                && it.capability.map(core::ptr::from_ref) == capability.map(core::ptr::from_ref)
                && id.is_some()
                && self.platform.is_identical(it.id, id)
        };
        let shared = self.tasks.find(&|_, it| is_same(it)).unwrap_or_else(|| {
            let task = Task {
                gateway,
                capability,
                id,
                snapshot,
                has_record,
                changes: 0,
                polls: u32::from(has_record),
                not_before: 0.0,
                handles: 0,
                follow: Follow::Resting,
                stream: Stream::NONE,
            };
            let new = self.platform.new_id();
            self.tasks.insert(new, task);
            new
        });
        if let Some(task) = self.tasks.get(shared) {
            task.handles += 1;
        }
        shared
    }

    /// The last snapshot of a task, the same value until it changes; `None` for one that the engine does not have.
    pub fn snapshot(&mut self, task: Id) -> Option<P::Value> {
        self.tasks.get(task).map(|it| it.snapshot)
    }

    /// `{id, capability}`, and `result` for a task without an id: what it can be restored from. Of a pipeline its `id` alone.
    pub fn saved(&mut self, task: Id) -> Option<P::Value> {
        let task = self.tasks.get(task)?;
        let platform = &self.platform;
        let saved = platform.with_member(None, "id", task.snapshot.get("id"));
        let capability = task.capability.map(|it| platform.text(it.name()));
        let saved = platform.with_member(Some(saved), "capability", capability);
        let result = if task.id.is_none() {
            task.snapshot.get("raw")
        } else {
            None
        };
        Some(platform.with_member(Some(saved), "result", result))
    }

    /// Polls a task once. The value of the promise is its snapshot.
    pub fn refresh(&mut self, promise: Id, id: Id) {
        let Some(&mut task) = self.tasks.get(id) else {
            return self.reject_unknown(promise);
        };
        match self.start_poll(id, Owner::Promise(promise), "") {
            Some(call) => self.promises.insert(
                promise,
                Pending::Refresh {
                    call,
                    task: id,
                    changes: task.changes,
                },
            ),
            None => self.platform.resolve(promise, Some(task.snapshot)),
        }
    }

    /// Starts a call that polls a task; `None` for one without an id. A pipeline changes where `action` is not empty.
    pub(super) fn start_poll(&mut self, id: Id, owner: Owner, action: &str) -> Option<Id> {
        let task = self.tasks.get(id)?;
        let gateway = self.gateways.get(task.gateway)?;
        let platform = &self.platform;
        let path = match task.capability {
            Some(it) => platform.append(gateway.url(platform, it.group().name()), "/tasks/"),
            None => gateway.url(platform, "pipelines/"),
        };
        let mut url = platform.append_segment(path, task.id?);
        if !action.is_empty() {
            url = platform.append(url, action);
        }
        let mut call = Call::new(
            task.gateway,
            gateway,
            owner,
            url,
            Body::Empty,
            Expected::Status(task.capability),
        );
        call.request.capability = task.capability.map_or("", Capability::name);
        if !action.is_empty() {
            call.request.method = "POST";
        }
        Some(self.start(call))
    }

    pub(super) fn refreshed(&mut self, promise: Id, id: Id, changes: u32, snapshot: P::Value) {
        self.update_from_poll(id, changes, snapshot);
        self.rest_if_unwatched(id);
        let now = self.snapshot(id).unwrap_or(snapshot);
        self.platform.resolve(promise, Some(now));
    }

    /// A poll of a task ended that was started when the task had changed this many times.
    fn update_from_poll(&mut self, id: Id, changes: u32, snapshot: P::Value) {
        let Some(task) = self.tasks.get(id) else {
            return;
        };
        task.polls = task.polls.saturating_add(1);
        // A change that the stream brought meanwhile is newer, unless this is the last state, which a pipeline may have left.
        let is_pipeline = task.capability.is_none();
        if task.changes == changes || (task.is_last(snapshot) && !is_pipeline) {
            self.update(id, snapshot, is_pipeline);
        }
    }

    /// Waits for the end of a task. The value of the promise is its last snapshot; it rejects
    /// with `task_failed` or `task_expired` where the task did not succeed.
    pub fn done(&mut self, promise: Id, task: Id) {
        self.wait_for(promise, task, Pending::End { task });
    }

    /// Subscribes to the snapshots of a task, of which the present one is the first.
    pub fn subscribe(&mut self, task: Id, subscription: Id) {
        if let Some(it) = self.tasks.get(task) {
            self.subscriptions
                .insert(subscription, Subscription { task });
            if it.has_record {
                self.unread.push(Unread {
                    subscription,
                    snapshot: it.snapshot,
                });
            }
        }
    }

    /// Waits for the next snapshot of a subscription. The value of the promise is `undefined`
    /// after the last one.
    pub fn next(&mut self, promise: Id, task: Id, subscription: Id) {
        self.wait_for(promise, task, Pending::Next { task, subscription });
    }

    pub(super) fn wait_for(&mut self, promise: Id, task: Id, pending: Pending<P::Value>) {
        if !self.tasks.has(task) {
            return self.reject_unknown(promise);
        }
        self.promises.insert(promise, pending);
        self.settle(task);
        self.follow(task);
    }

    /// The caller's last handle of a task is gone, or a subscription ended.
    pub(super) fn release_task(&mut self, id: Id) {
        if let Some(task) = self.tasks.get(id) {
            task.handles = task.handles.saturating_sub(1);
            if task.handles == 0 {
                self.rest(id);
                self.tasks.take(id);
            }
        } else if let Some(Subscription { task }) = self.subscriptions.take(id) {
            self.unread.retain(|it| it.subscription != id);
            self.settle(task);
            self.rest_if_unwatched(task);
        }
    }

    /// Sets the snapshot of a task, where it has changed. A task in a last state keeps it, also where an older response
    /// arrives later, unless it may leave it: a pipeline does by a resume.
    pub(super) fn update(&mut self, id: Id, snapshot: P::Value, may_leave: bool) {
        let Some(task) = self.tasks.get(id) else {
            return;
        };
        // A record may write the id in another way. The one of the create is the one that can be polled.
        let snapshot = if task.id.is_some() {
            self.platform.with_member(Some(snapshot), "id", task.id)
        } else {
            snapshot
        };
        let is_older = task.has_ended() && !task.is_last(snapshot);
        if is_older {
            if !may_leave {
                return;
            }
            // Its polls begin anew.
            task.polls = 1;
        }
        if task.has_record && self.platform.is_same(snapshot, task.snapshot) {
            // What is expected of the task is newer, which is no change of it.
            if poll_after_ms(snapshot) != poll_after_ms(task.snapshot) {
                task.snapshot = snapshot;
            }
            return;
        }
        task.has_record = true;
        task.changes = task.changes.wrapping_add(1);
        task.snapshot = snapshot;
        let mut subscriptions = Vec::new();
        self.subscriptions
            .ids(&mut subscriptions, &|it| it.task == id);
        for subscription in subscriptions {
            self.push(subscription, snapshot);
        }
        self.settle(id);
    }

    /// Appends a snapshot to what a subscriber has not taken yet. It replaces the last one where that has the same state,
    /// and where there are too many.
    fn push(&mut self, subscription: Id, snapshot: P::Value) {
        let mut count = 0;
        let mut last = None;
        for it in self
            .unread
            .iter_mut()
            .filter(|it| it.subscription == subscription)
        {
            count += 1;
            last = Some(it);
        }
        let is_full = count >= MAX_QUEUED;
        match last {
            Some(last)
                if is_full
                    || self
                        .platform
                        .is_identical(state(last.snapshot), state(snapshot)) =>
            {
                last.snapshot = snapshot;
            }
            _ => self.unread.push(Unread {
                subscription,
                snapshot,
            }),
        }
    }

    /// Takes the oldest snapshot that a subscriber has not taken yet.
    fn take_unread(&mut self, subscription: Id) -> Option<P::Value> {
        let first = self
            .unread
            .iter_mut()
            .find(|it| it.subscription == subscription)?;
        let snapshot = first.snapshot;
        first.subscription = 0;
        self.unread.retain(|it| it.subscription != 0);
        Some(snapshot)
    }

    /// The snapshot of a task that succeeded; an error with it for any other last state.
    fn result(&self, task: &Task<P::Value>) -> Outcome<P> {
        let snapshot = task.snapshot;
        if task.capability.is_none() {
            return self.pipeline_result(snapshot);
        }
        let is = |name: &str| state(snapshot).is_some_and(|it| it.is(name));
        let (code, message) = if is("FAILED") {
            (code::TASK_FAILED, "the task failed")
        } else if is("EXPIRED") {
            (code::TASK_EXPIRED, "the task expired before it was done")
        } else {
            return Ok(Some(snapshot));
        };
        let platform = &self.platform;
        let error = Error::new(platform, code, message).with(platform, "task", Some(snapshot));
        let error = error.with_hint(
            platform,
            "error.task.raw is the whole record; the task can be created again",
        );
        // The task's own reason (§3), as the gateway normalises it.
        let reason = snapshot
            .get("raw")
            .and_then(|it| it.get("error")?.get("message"))
            .filter(|it| it.kind() == Type::Text);
        let own = |it| platform.append_value(platform.append(platform.text(message), ": "), it);
        Err(error.with(platform, "message", reason.map(own)))
    }

    /// Settles those promises of a task for which there is something.
    fn settle(&mut self, id: Id) {
        for promise in self.waiting_for(id) {
            // A create that was rejected has ended its other transfers, and released the task for them.
            let (Some(&mut pending), Some(&mut task)) =
                (self.promises.get(promise), self.tasks.get(id))
            else {
                continue;
            };
            let settled = match pending {
                Pending::Next { subscription, .. } => match self.take_unread(subscription) {
                    None if !task.has_ended() && self.subscriptions.has(subscription) => None,
                    snapshot => Some(Ok(snapshot)),
                },
                _ if task.has_ended() => Some(self.result(&task)),
                _ => None,
            };
            match settled {
                Some(Ok(value)) => self.fulfil(promise, value),
                Some(Err(error)) => self.reject(promise, error),
                None => {}
            }
        }
    }

    pub(super) fn waiting_for(&self, id: Id) -> Vec<Id> {
        let mut waiting = Vec::new();
        self.promises.ids(&mut waiting, &|it| it.waits_for(id));
        waiting
    }

    /// Whether a promise waits for a change of a task.
    pub(super) fn is_waited_for(&self, id: Id) -> bool {
        self.promises.find(&|_, it| it.waits_for(id)).is_some()
    }

    /// A poll by those who follow a task ended. Where it failed, so do all who wait for it.
    pub(super) fn polled(&mut self, id: Id, outcome: Outcome<P>) {
        let Some(task) = self.tasks.get(id) else {
            return;
        };
        let Follow::Polling { changes, .. } = core::mem::replace(&mut task.follow, Follow::Resting)
        else {
            return;
        };
        match outcome {
            Ok(snapshot) => {
                if let Some(snapshot) = snapshot {
                    self.update_from_poll(id, changes, snapshot);
                }
                self.go_on(id);
            }
            Err(error) => {
                for promise in self.waiting_for(id) {
                    if self.promises.has(promise) {
                        self.reject(promise, error);
                    }
                }
            }
        }
    }
}
