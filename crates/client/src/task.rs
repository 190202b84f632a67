use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::string::String;
use alloc::sync::{Arc, Weak};
use alloc::vec::Vec;
use core::fmt;
use core::sync::atomic::{AtomicBool, Ordering};

use event_listener::Event;
use mediagate_core::text::concat;
use mediagate_core::{CANCELLED, Capability, EXPIRED, FAILED, Type, Value, schedule};

use crate::call::{Call, FailedRead};
use crate::error::{CONTENT_REFUSED, Error, Kind};
use crate::limits::{Limits, RetryPolicy};
use crate::platform::{Body, BoxFuture, Function, Hint, HostValue, Platform};
use crate::response::{Received, ResponseKind};
use crate::snapshot::Snapshot;
use crate::sync::{Job, Lock, Waiter, Waiters, until};
use crate::{Client, push_segment};

/// The most snapshots that wait for a slow subscriber, who loses none: a task has fewer states.
const MAX_QUEUED: usize = 16;

/// The failures in a row after which a task's subscribers see that it can't be read.
const UNREAD_FAILURES: u32 = 2;

/// Snapshots, the oldest first.
type Queue<V> = VecDeque<Arc<Snapshot<V>>>;

pub(super) type Read<P> =
    BoxFuture<'static, Result<Arc<Snapshot<<P as Platform>::Value>>, Error<P>>>;

/// A task or a pipeline. For an id, a client returns clones of one task from each create, restore
/// and start.
pub struct TaskHandle<P: Platform>(pub(super) Arc<TaskInner<P>>);

pub(super) struct TaskInner<P: Platform> {
    pub(super) client: Client<P>,
    /// `None` for a result that came instead of a task, which cannot be polled.
    pub(super) id: Option<String>,
    /// `None` for a pipeline.
    pub(super) capability: Option<&'static Capability>,
    pub(super) state: Lock<TaskState<P>>,
    /// The earliest time of the next poll, in milliseconds since 1970.
    pub(super) not_before: Lock<Option<f64>>,
    /// Notified of each new snapshot, and of the end of a follower.
    pub(super) changed: Arc<Event>,
}

pub(super) struct TaskState<P: Platform> {
    pub(super) snapshot: Arc<Snapshot<P::Value>>,
    pub(super) changes: u32,
    /// The number of polls since the start or the last resume. The interval of the next poll grows
    /// with it.
    pub(super) polls: u32,
    /// The id of the last event of the stream. The gateway continues after it.
    pub(super) last_event_id: Option<String>,
    pub(super) has_no_stream: bool,
    pub(super) follower: Weak<Job<P>>,
    queues: Vec<Weak<Lock<Queue<P::Value>>>>,
}

impl<P: Platform> Clone for TaskHandle<P> {
    fn clone(&self) -> Self {
        TaskHandle(self.0.clone())
    }
}

impl<P: Platform> PartialEq for TaskHandle<P> {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl<P: Platform> Client<P> {
    /// Returns a task by its id, without a request.
    pub fn task(&self, id: String, capability: &'static Capability) -> TaskHandle<P> {
        self.shared_task(Arc::new(Snapshot::unknown(id, Some(capability))))
    }

    /// Returns a task that has already succeeded, from a result that came instead of a task.
    pub fn finished_task(
        &self,
        capability: &'static Capability,
        result: P::Value,
    ) -> TaskHandle<P> {
        self.shared_task(Arc::new(Snapshot::finished(capability, result)))
    }

    /// Returns a pipeline by its id, without a request.
    pub fn pipeline(&self, id: String) -> TaskHandle<P> {
        self.shared_task(Arc::new(Snapshot::unknown(id, None)))
    }

    pub(super) fn created(&self, snapshot: Arc<Snapshot<P::Value>>) -> TaskHandle<P> {
        let task = self.shared_task(snapshot.clone());
        task.update(snapshot, false);
        task
    }

    /// Returns the task of a snapshot: a clone if the caller already has the task.
    fn shared_task(&self, snapshot: Arc<Snapshot<P::Value>>) -> TaskHandle<P> {
        self.0.tasks.with(|tasks| {
            tasks.retain(|task| task.strong_count() > 0);
            let mut known = tasks.iter().filter_map(Weak::upgrade);
            if let Some(task) = known.find(|task| task.is_of(&snapshot)) {
                return TaskHandle(task);
            }
            let new = Arc::new(TaskInner {
                client: self.clone(),
                id: snapshot.id.clone(),
                capability: snapshot.capability,
                state: Lock::new(TaskState {
                    changes: 0,
                    polls: u32::from(snapshot.raw.is_some()),
                    last_event_id: None,
                    has_no_stream: false,
                    follower: Weak::new(),
                    queues: Vec::new(),
                    snapshot,
                }),
                not_before: Lock::default(),
                changed: Arc::default(),
            });
            tasks.push(Arc::downgrade(&new));
            TaskHandle(new)
        })
    }
}

impl<P: Platform> TaskInner<P> {
    fn is_of(&self, snapshot: &Snapshot<P::Value>) -> bool {
        let capability = self.capability.map(Capability::name);
        self.id.is_some()
            && self.id == snapshot.id
            && capability == snapshot.capability.map(Capability::name)
    }
}

impl<P: Platform> TaskHandle<P> {
    /// Returns the client.
    pub fn client(&self) -> &Client<P> {
        &self.0.client
    }

    /// Returns the last snapshot. Returns the same object until the snapshot changes.
    pub fn snapshot(&self) -> Arc<Snapshot<P::Value>> {
        self.0.state.with(|state| state.snapshot.clone())
    }

    pub(super) fn has_ended(&self) -> bool {
        self.snapshot().has_ended()
    }

    /// Returns `task_unfinished` if the gateway has given up the task, by the record that was just
    /// read.
    pub(super) fn check_followed(&self) -> Result<(), Error<P>> {
        let snapshot = self.snapshot();
        let record = snapshot.raw.as_ref();
        // The gateway adds the member only to the record of a task that it has given up.
        if record.and_then(|record| record.get("unfinished")).is_none() {
            return Ok(());
        }
        let message = "the task has not ended in time; it may still run";
        let mut error = Error::new(Kind::TaskUnfinished, message).hint(Hint::ReadTaskLater);
        error.snapshot = Some(snapshot);
        Err(error)
    }

    /// Polls the task once. Returns its snapshot. A task that has failed is not an error.
    pub fn refresh(&self, limits: Limits<P>) -> Read<P> {
        let task = self.clone();
        let waiters = Waiters::from(&limits.retry);
        let polled = async move {
            task.poll(waiters).await?;
            Ok(task.snapshot())
        };
        limits.apply(self.client().platform(), Box::pin(polled))
    }

    /// Waits until the task succeeds. Returns its last snapshot.
    ///
    /// # Errors
    /// `task_failed`, `task_expired`, `task_unfinished`, `pipeline_failed` and `pipeline_cancelled`
    /// with the last snapshot.
    pub fn done(&self, limits: Limits<P>) -> Read<P> {
        let task = self.clone();
        let retry = limits.retry.clone();
        let done = async move { task.done_for(&retry).await };
        limits.apply(self.client().platform(), Box::pin(done))
    }

    pub(super) async fn done_for(
        &self,
        retry: &RetryPolicy<P>,
    ) -> Result<Arc<Snapshot<P::Value>>, Error<P>> {
        // A pipeline may leave its end again when it is resumed. Its follower has ended by then.
        while !self.has_ended() {
            let follower = self.follower();
            let _waiter = follower.join(retry);
            follower.start(self.client().platform());
            until(&self.0.changed, || {
                if self.has_ended() {
                    return Some(Ok(()));
                }
                follower.result()
            })
            .await?;
        }
        result(&self.snapshot())
    }

    /// Subscribes to the snapshots of the task. The present snapshot is the first, if there is a
    /// record. The subscription follows the task from its first wait until it is dropped.
    pub fn subscribe(&self, retry: RetryPolicy<P>) -> Arc<Subscription<P>> {
        let unread = self.0.state.with(|state| {
            let known = state.snapshot.raw.is_some();
            let first = known.then(|| state.snapshot.clone());
            let unread = Arc::new(Lock::new(VecDeque::from_iter(first)));
            state.queues.retain(|queue| queue.strong_count() > 0);
            state.queues.push(Arc::downgrade(&unread));
            unread
        });
        Arc::new(Subscription {
            task: self.clone(),
            unread,
            retry,
            following: Lock::new(None),
            is_closed: AtomicBool::new(false),
        })
    }

    pub(super) async fn poll(&self, waiters: Waiters<P>) -> Result<(), Error<P>> {
        let Some(call) = self.read_call("", waiters) else {
            // A result that came instead of a task has no record to read.
            return Ok(());
        };
        let changes = self.0.state.with(|state| state.changes);
        if let Received::Snapshot(snapshot) = self.client().reply(call).await? {
            self.update_from_poll(changes, snapshot);
        }
        Ok(())
    }

    /// Prepares the request of the record, or of an `action` of a pipeline such as `/resume`.
    /// Returns `None` for a task without an id.
    pub(super) fn read_call(&self, action: &str, waiters: Waiters<P>) -> Option<Call<P>> {
        let TaskInner {
            client,
            id,
            capability,
            ..
        } = &*self.0;
        let mut url = match capability {
            Some(capability) => client.url(&concat(&[capability.group().name(), "/tasks/"])),
            None => client.url("pipelines/"),
        };
        push_segment(&mut url, id.as_deref()?);
        url.push_str(action);
        let expected = capability.map_or(ResponseKind::Pipeline, ResponseKind::Task);
        let mut call = Call::new(url, Body::Empty, expected, waiters);
        call.request.capability = capability.map(Capability::name);
        call.on_failed_read = Some(self.failed_read_listener());
        Some(call)
    }

    /// Applies the snapshot of a poll. `changes` is the number of changes at the start of the poll.
    pub(super) fn update_from_poll(&self, changes: u32, snapshot: Arc<Snapshot<P::Value>>) {
        let is_pipeline = self.0.capability.is_none();
        let is_newest = self.0.state.with(|state| {
            state.polls = state.polls.saturating_add(1);
            state.changes == changes
        });
        // A change that the stream has brought meanwhile is newer than the poll. But the last state
        // of a task is final, so it counts in any case. A pipeline may have left its last state.
        if is_newest || (snapshot.has_ended() && !is_pipeline) {
            self.update(snapshot, is_pipeline);
        }
    }

    /// Applies a snapshot. A task keeps its last state, even if an older response arrives later.
    /// With `may_leave`, a pipeline may leave its last state.
    pub(super) fn update(&self, snapshot: Arc<Snapshot<P::Value>>, may_leave: bool) {
        // A record may write the id in another way. Only the id of the create can be polled.
        let snapshot = if self.0.id.is_some() && self.0.id != snapshot.id {
            Arc::new(Snapshot {
                id: self.0.id.clone(),
                ..(*snapshot).clone()
            })
        } else {
            snapshot
        };
        let has_changed = self.0.state.with(|state| {
            if Arc::ptr_eq(&state.snapshot, &snapshot) {
                // The snapshot of a create that made this task.
                return false;
            }
            if state.snapshot.has_ended() && !snapshot.has_ended() {
                if !may_leave {
                    return false;
                }
                // A resumed pipeline is polled with the intervals of a new one.
                state.polls = 1;
            }
            let was_answered = state.snapshot.unanswered_since_ms.is_none();
            if was_answered && is_same_record(state.snapshot.raw.as_ref(), snapshot.raw.as_ref()) {
                // A new estimate of the gateway is not a change, but the next poll needs it.
                if poll_after_ms(&state.snapshot) != poll_after_ms(&snapshot) {
                    state.snapshot = snapshot;
                }
                return false;
            }
            state.changes = state.changes.wrapping_add(1);
            state.show(snapshot);
            true
        });
        if has_changed {
            self.0.changed.notify(usize::MAX);
        }
    }

    pub(super) fn failed_read_listener(&self) -> Arc<Function<FailedRead, ()>> {
        let task = self.clone();
        Arc::new(move |read: FailedRead| {
            if let Some(until) = read.not_before {
                let not_before = &task.0.not_before;
                not_before.with(|time| *time = Some(time.map_or(until, |time| time.max(until))));
            }
            if read.failures >= UNREAD_FAILURES {
                task.note_unanswered(read.since_ms);
            }
        })
    }

    /// Shows the subscribers that reads have failed since a time in milliseconds since 1970. The
    /// next record ends that.
    fn note_unanswered(&self, since: f64) {
        let has_changed = self.0.state.with(|state| {
            let last = &state.snapshot;
            // A pipeline has such a time in each of its steps.
            if last.has_ended() || last.capability.is_none() || last.unanswered_since_ms.is_some() {
                return false;
            }
            // Not a change of the record, which a poll under way may bring.
            state.show(Arc::new(Snapshot {
                unanswered_since_ms: Some(since),
                ..(**last).clone()
            }));
            true
        });
        if has_changed {
            self.0.changed.notify(usize::MAX);
        }
    }
}

impl<P: Platform> TaskState<P> {
    fn show(&mut self, snapshot: Arc<Snapshot<P::Value>>) {
        self.queues.retain(|queue| {
            let Some(queue) = queue.upgrade() else {
                // The subscription was dropped.
                return false;
            };
            queue.with(|queue| push(queue, snapshot.clone()));
            true
        });
        self.snapshot = snapshot;
    }
}

/// Appends a snapshot to the queue. It replaces the last snapshot if that has the same state, or if
/// the queue is full.
fn push<V>(queue: &mut Queue<V>, snapshot: Arc<Snapshot<V>>) {
    let is_full = queue.len() >= MAX_QUEUED;
    if queue
        .back()
        .is_some_and(|last| is_full || last.state == snapshot.state)
    {
        queue.pop_back();
    }
    queue.push_back(snapshot);
}

type Following<P> = (Arc<Job<P>>, Waiter<P>);

/// The snapshots of a task or a pipeline, in order.
pub struct Subscription<P: Platform> {
    task: TaskHandle<P>,
    unread: Arc<Lock<Queue<P::Value>>>,
    retry: RetryPolicy<P>,
    following: Lock<Option<Following<P>>>,
    is_closed: AtomicBool,
}

impl<P: Platform> Subscription<P> {
    /// Waits for the next snapshot; `None` after the last one. Dropping the future loses no
    /// snapshot.
    ///
    /// # Errors
    /// Any error of a read, and `task_unfinished`. The next call follows the task again.
    pub async fn next(&self) -> Result<Option<Arc<Snapshot<P::Value>>>, Error<P>> {
        let unread = || self.unread.with(VecDeque::pop_front);
        if let Some(snapshot) = unread() {
            return Ok(Some(snapshot));
        }
        if self.has_ended() {
            return Ok(None);
        }
        let follower = self.following.with(|following| {
            let running = following
                .take()
                .filter(|(follower, _)| follower.result().is_none());
            let (follower, _) = following.insert(running.unwrap_or_else(|| {
                let follower = self.task.follower();
                let waiter = follower.join(&self.retry);
                follower.start(self.task.client().platform());
                (follower, waiter)
            }));
            follower.clone()
        });
        let next = || {
            if let Some(snapshot) = unread() {
                return Some(Ok(Some(snapshot)));
            }
            if self.has_ended() {
                return Some(Ok(None));
            }
            follower.result()?.err().map(Err)
        };
        until(&self.task.0.changed, next).await
    }

    /// Ends the subscription. A wait for the next snapshot then ends with `None`.
    pub fn close(&self) {
        self.is_closed.store(true, Ordering::Relaxed);
        // Outside of the lock: dropping the last waiter aborts the follower.
        let following = self.following.with(Option::take);
        drop(following);
        self.task.0.changed.notify(usize::MAX);
    }

    fn has_ended(&self) -> bool {
        self.is_closed.load(Ordering::Relaxed) || self.task.has_ended()
    }

    /// Waits for the next snapshot within limits. They end only this wait, and not the
    /// subscription.
    pub fn next_within(self: &Arc<Self>, limits: Limits<P>) -> Next<P> {
        let subscription = self.clone();
        let next = async move { subscription.next().await };
        limits.apply(self.task.client().platform(), Box::pin(next))
    }
}

type Next<P> = BoxFuture<'static, Result<Option<Arc<Snapshot<<P as Platform>::Value>>>, Error<P>>>;

fn result<P: Platform>(
    snapshot: &Arc<Snapshot<P::Value>>,
) -> Result<Arc<Snapshot<P::Value>>, Error<P>> {
    let state = snapshot.state.as_deref().unwrap_or_default();
    let (kind, message, mut hint) = match (state, snapshot.capability) {
        (FAILED, Some(_)) => (Kind::TaskFailed, "the task failed", Hint::ReadTask),
        (EXPIRED, Some(_)) => (Kind::TaskExpired, "the task expired", Hint::ReadTask),
        (FAILED, None) => (Kind::PipelineFailed, "the pipeline failed", Hint::ReadSteps),
        (CANCELLED, None) => {
            let message = "the pipeline was cancelled";
            (Kind::PipelineCancelled, message, Hint::ReadSteps)
        }
        _ => return Ok(snapshot.clone()),
    };
    let mut message = String::from(message);
    let record = snapshot.raw.as_ref();
    let mut step = None;
    // The cause of the failure (§3), from the member `error` that the gateway adds.
    let mut cause = None;
    if snapshot.capability.is_some() {
        cause = record.and_then(|record| record.get("error"));
    } else if let Some((name, record)) = record.and_then(failed_step) {
        message = concat(&["the pipeline failed at ", &name]);
        step = Some(name);
        cause = record.get("error");
    }
    let text = cause.as_ref().and_then(|cause| cause.get("message"));
    if let Some(text) = text.as_ref().and_then(Value::text) {
        message.push_str(": ");
        message.push_str(&text);
    }
    let reason = cause.and_then(|cause| cause.get("reason"));
    let reason = reason.filter(|reason| reason.text().is_some());
    if reason
        .as_ref()
        .is_some_and(|reason| reason.is(CONTENT_REFUSED))
    {
        hint = Hint::ChangeContent;
    }
    let mut error = Error::new(kind, &message).hint(hint);
    error.reason = reason;
    error.snapshot = Some(snapshot.clone());
    error.step = step;
    Err(error)
}

fn failed_step<V: Value>(record: &V) -> Option<(String, V)> {
    let steps = record.get("steps")?;
    let failed = steps.items().find(has_failed)?;
    let name = failed.get("name")?.text()?;
    Some((String::from(&*name), failed))
}

fn has_failed<V: Value>(step: &V) -> bool {
    step.get("state")
        .is_some_and(|state| state.is(FAILED) || state.is("UNKNOWN"))
}

/// Returns the time until the next poll from `poll_after`, in milliseconds.
pub(super) fn poll_after_ms<V: Value>(snapshot: &Snapshot<V>) -> Option<u32> {
    /// The shortest interval between two polls, even if `poll_after` is shorter.
    const MIN_POLL_MS: u32 = 150;
    let seconds = snapshot.raw.as_ref()?.get("poll_after")?.number()?;
    (seconds > 0.0)
        .then(|| ((seconds * 1000.0) as u32).clamp(MIN_POLL_MS, schedule::poll::MAX_WAIT_MS))
}

/// Returns true if two records are equal. Ignores the values of members `eta`, and members
/// `poll_after` and `changed_at`: the gateway changes the estimates with each second, and only
/// streams have the time of the last change.
fn is_same_record<V: HostValue>(one: Option<&V>, other: Option<&V>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => is_same(one, other, MAX_DEPTH),
        _ => false,
    }
}

/// The levels of records that are compared. Records with more levels count as different, because
/// their comparison could overflow the stack.
const MAX_DEPTH: u32 = 64;

fn is_same<V: HostValue>(one: &V, other: &V, depth: u32) -> bool {
    if one.is_same(other) {
        return true;
    }
    let Some(inner) = depth.checked_sub(1) else {
        return false;
    };
    match (one.kind(), other.kind()) {
        (Type::List, Type::List) => {
            one.length() == other.length()
                && one
                    .items()
                    .zip(other.items())
                    .all(|(one, other)| is_same(&one, &other, inner))
        }
        (Type::Object, Type::Object) => {
            let one = compared_members(one);
            let other = compared_members(other);
            one.len() == other.len()
                && one.iter().enumerate().all(|(index, (name, one))| {
                    // Usually, the members have the same order.
                    let beside = other.get(index).filter(|(beside, _)| **beside == **name);
                    let same = beside.or_else(|| other.iter().find(|(found, _)| **found == **name));
                    same.is_some_and(|(_, other)| **name == *"eta" || is_same(one, other, inner))
                })
        }
        _ => false,
    }
}

fn compared_members<V: HostValue>(object: &V) -> Vec<(V::Str, V)> {
    let mut members = object.members();
    members.retain(|(name, _)| !matches!(&**name, "poll_after" | "changed_at"));
    members
}

impl<P: Platform> fmt::Debug for TaskHandle<P> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Task")
            .field("id", &self.0.id)
            .field("state", &self.snapshot().state)
            .finish_non_exhaustive()
    }
}
