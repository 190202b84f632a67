//! A task or a pipeline: its last snapshot, and those who subscribe to the next ones (§3).

use alloc::collections::VecDeque;
use alloc::string::String;
use alloc::sync::{Arc, Weak};
use alloc::vec::Vec;
use core::fmt;
use core::sync::atomic::{AtomicBool, Ordering};

use mediagate_core::text::concat;
use mediagate_core::{Capability, TERMINAL, Type, Value, schedule};

use super::call::Call;
use super::error::{Error, Hint, Kind};
use super::follow::Follower;
use super::limits::{Limits, RetryPolicy, Waiter, Waiters};
use super::platform::{Body, HostValue, Platform};
use super::response::{Expected, Reply};
use super::sync::{Lock, Signal};
use super::{Client, push_segment};

/// The last states of a pipeline.
const PIPELINE_TERMINAL: [&str; 3] = ["SUCCEEDED", "FAILED", "CANCELLED"];
/// The most snapshots that wait for a slow subscriber: more than a task has states.
const MAX_QUEUED: usize = 16;

/// The state of a task or a pipeline at one time.
#[derive(Clone)]
pub struct Snapshot<V> {
    /// The id; `None` for a result that came in place of a task.
    pub id: Option<String>,
    /// The capability of a task; `None` for a pipeline.
    pub capability: Option<&'static Capability>,
    /// The state; `None` where the record has none, and before the first record.
    pub state: Option<String>,
    /// The progress from 0 to 1.
    pub progress: Option<f64>,
    /// The whole record; `None` before the first one.
    pub raw: Option<V>,
}

impl<V> Snapshot<V> {
    /// Makes the snapshot of a task of which only the id is known; of a pipeline without a capability.
    fn unknown(id: String, capability: Option<&'static Capability>) -> Self {
        Snapshot {
            id: Some(id),
            capability,
            state: None,
            progress: None,
            raw: None,
        }
    }

    /// Makes the snapshot of a result that came in place of a task (§4.2), which is then already done.
    pub(super) fn finished(capability: &'static Capability, result: V) -> Self {
        Snapshot {
            id: None,
            capability: Some(capability),
            state: Some("SUCCEEDED".into()),
            progress: Some(1.0),
            raw: Some(result),
        }
    }

    /// Returns whether it is in a last state. A pipeline leaves it again by a resume.
    pub fn has_ended(&self) -> bool {
        let last = if self.capability.is_some() {
            TERMINAL
        } else {
            PIPELINE_TERMINAL
        };
        self.state.as_deref().is_some_and(|it| last.contains(&it))
    }
}

/// Snapshots, the oldest first.
type Queue<V> = VecDeque<Arc<Snapshot<V>>>;

/// A task or a pipeline. One that is created or restored again with the same client is the same.
pub struct Task<P: Platform>(pub(super) Arc<TaskInner<P>>);

pub(super) struct TaskInner<P: Platform> {
    pub(super) client: Client<P>,
    /// `None` for a result that came in place of a task, which cannot be polled.
    pub(super) id: Option<String>,
    /// `None` for a pipeline.
    pub(super) capability: Option<&'static Capability>,
    pub(super) state: Lock<TaskState<P>>,
    /// Notified of each new snapshot, and of the end of a follower.
    pub(super) changed: Arc<Signal>,
}

pub(super) struct TaskState<P: Platform> {
    pub(super) snapshot: Arc<Snapshot<P::Value>>,
    /// How often the snapshot has changed.
    pub(super) changes: u32,
    /// How often it was polled since it began or was resumed, which decides the interval of the next poll.
    pub(super) polls: u32,
    /// The time before which the gateway wants no other poll, in milliseconds since 1970.
    pub(super) not_before: f64,
    /// The id of the last event of its stream, after which the gateway continues.
    pub(super) last_event_id: Option<String>,
    /// Whether streams do not work here.
    pub(super) has_no_stream: bool,
    pub(super) follower: Weak<Follower<P>>,
    /// What subscribers have not taken yet, by the number of the subscription.
    queues: Vec<(u32, Queue<P::Value>)>,
    last_subscription: u32,
}

impl<P: Platform> Clone for Task<P> {
    fn clone(&self) -> Self {
        Task(self.0.clone())
    }
}

impl<P: Platform> PartialEq for Task<P> {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl<P: Platform> Client<P> {
    /// Returns a task by its id, without a request.
    pub fn task(&self, id: String, capability: &'static Capability) -> Task<P> {
        self.shared_task(Snapshot::unknown(id, Some(capability)))
    }

    /// Returns a task that was already done when it was created, by its result.
    pub fn finished_task(&self, capability: &'static Capability, result: P::Value) -> Task<P> {
        self.shared_task(Snapshot::finished(capability, result))
    }

    /// Returns a pipeline by its id, without a request.
    pub fn pipeline(&self, id: String) -> Task<P> {
        self.shared_task(Snapshot::unknown(id, None))
    }

    /// Returns the task or the pipeline of a create, by the snapshot in the response.
    pub(super) fn created(&self, snapshot: Arc<Snapshot<P::Value>>) -> Task<P> {
        let task = self.shared_task((*snapshot).clone());
        task.update(snapshot, false);
        task
    }

    /// Returns the same task where the caller has it already, or else a new one.
    fn shared_task(&self, snapshot: Snapshot<P::Value>) -> Task<P> {
        self.0.tasks.with(|tasks| {
            tasks.retain(|it| it.strong_count() > 0);
            let is_same = |it: &TaskInner<P>| {
                it.id.is_some()
                    && it.id == snapshot.id
                    && it.capability.map(Capability::name)
                        == snapshot.capability.map(Capability::name)
            };
            let known = tasks
                .iter()
                .filter_map(Weak::upgrade)
                .find(|it| is_same(it));
            Task(known.unwrap_or_else(|| {
                let new = Arc::new(TaskInner {
                    client: self.clone(),
                    id: snapshot.id.clone(),
                    capability: snapshot.capability,
                    state: Lock::new(TaskState {
                        changes: 0,
                        polls: u32::from(snapshot.raw.is_some()),
                        not_before: 0.0,
                        last_event_id: None,
                        has_no_stream: false,
                        follower: Weak::new(),
                        queues: Vec::new(),
                        last_subscription: 0,
                        snapshot: Arc::new(snapshot),
                    }),
                    changed: Arc::default(),
                });
                tasks.push(Arc::downgrade(&new));
                new
            }))
        })
    }
}

impl<P: Platform> Task<P> {
    /// Returns the client.
    pub fn client(&self) -> &Client<P> {
        &self.0.client
    }

    /// Returns the last snapshot, the same one until it changes.
    pub fn snapshot(&self) -> Arc<Snapshot<P::Value>> {
        self.0.state.with(|it| it.snapshot.clone())
    }

    pub(super) fn has_ended(&self) -> bool {
        self.snapshot().has_ended()
    }

    /// Polls it once.
    ///
    /// # Errors
    /// Any error of a read; none where the task has failed.
    pub async fn refresh(&self, limits: Limits<P>) -> Result<Arc<Snapshot<P::Value>>, Error<P>> {
        let waiters = Waiters::from(&limits.retry);
        limits
            .apply(self.client().platform(), async {
                self.poll(waiters).await?;
                Ok(self.snapshot())
            })
            .await
    }

    /// Waits until it succeeds. Returns its last snapshot.
    ///
    /// # Errors
    /// `task_failed`, `task_expired`, `pipeline_failed` and `pipeline_cancelled` with the last snapshot; any error of a read.
    pub async fn done(&self, limits: Limits<P>) -> Result<Arc<Snapshot<P::Value>>, Error<P>> {
        let retry = limits.retry.clone();
        let done = self.done_for(&retry);
        limits.apply(self.client().platform(), done).await
    }

    pub(super) async fn done_for(
        &self,
        retry: &RetryPolicy<P>,
    ) -> Result<Arc<Snapshot<P::Value>>, Error<P>> {
        if !self.has_ended() {
            let follower = self.follower();
            let _waiter = follower.join(retry);
            let ended = || self.has_ended().then_some(Ok(()));
            let failed = || follower.result().filter(Result::is_err);
            self.0.changed.until(|| ended().or_else(failed)).await?;
        }
        result(&self.snapshot())
    }

    /// Subscribes to its snapshots, of which the present one is the first, if there is a record. It is followed from when
    /// the first is wanted until the subscription is dropped.
    pub fn subscribe(&self, retry: RetryPolicy<P>) -> Subscription<P> {
        let number = self.0.state.with(|it| {
            it.last_subscription += 1;
            let mut queue = VecDeque::new();
            if it.snapshot.raw.is_some() {
                queue.push_back(it.snapshot.clone());
            }
            it.queues.push((it.last_subscription, queue));
            it.last_subscription
        });
        Subscription {
            task: self.clone(),
            number,
            retry,
            following: Lock::new(None),
            is_closed: AtomicBool::new(false),
        }
    }

    /// Requests the record once, and sets the snapshot by it.
    pub(super) async fn poll(&self, waiters: Waiters<P>) -> Result<(), Error<P>> {
        let Some(call) = self.read_call("", waiters) else {
            return Ok(());
        };
        let changes = self.0.state.with(|it| it.changes);
        if let Reply::Snapshot(snapshot) = self.client().reply(call).await? {
            self.update_from_poll(changes, snapshot);
        }
        Ok(())
    }

    /// Prepares the request of its record, or of an action of a pipeline, such as `/resume`. `None` where it has no id.
    pub(super) fn read_call(&self, action: &str, waiters: Waiters<P>) -> Option<Call<P>> {
        let TaskInner {
            client,
            id,
            capability,
            ..
        } = &*self.0;
        let mut url = match capability {
            Some(it) => client.url(&concat(&[it.group().name(), "/tasks/"])),
            None => client.url("pipelines/"),
        };
        push_segment(&mut url, id.as_deref()?);
        url.push_str(action);
        let expected = capability.map_or(Expected::Pipeline, Expected::Task);
        let mut call = Call::new(url, Body::Empty, expected, waiters);
        call.request.capability = capability.map(Capability::name);
        call.task = Some(self.clone());
        Some(call)
    }

    /// Sets the snapshot by the response to a poll that began when it had changed this many times.
    pub(super) fn update_from_poll(&self, changes: u32, snapshot: Arc<Snapshot<P::Value>>) {
        let is_pipeline = self.0.capability.is_none();
        let is_newest = self.0.state.with(|it| {
            it.polls = it.polls.saturating_add(1);
            it.changes == changes
        });
        // A change that a stream brought meanwhile is newer, unless this is the last state, which a pipeline may have left.
        if is_newest || (snapshot.has_ended() && !is_pipeline) {
            self.update(snapshot, is_pipeline);
        }
    }

    /// Sets the snapshot where it has changed. A task in a last state keeps it, also where an older response arrives later,
    /// unless it may leave it: a pipeline does by a resume.
    pub(super) fn update(&self, snapshot: Arc<Snapshot<P::Value>>, may_leave: bool) {
        // A record may write the id in another way. The one of the create is the one that can be polled.
        let snapshot = if self.0.id.is_some() && self.0.id != snapshot.id {
            Arc::new(Snapshot {
                id: self.0.id.clone(),
                ..(*snapshot).clone()
            })
        } else {
            snapshot
        };
        let has_changed = self.0.state.with(|it| {
            if it.snapshot.has_ended() && !snapshot.has_ended() {
                if !may_leave {
                    return false;
                }
                // Its polls begin anew.
                it.polls = 1;
            }
            if is_same_record(it.snapshot.raw.as_ref(), snapshot.raw.as_ref()) {
                // What is expected of the task is newer, which is no change of it.
                if poll_after_ms(&it.snapshot) != poll_after_ms(&snapshot) {
                    it.snapshot = snapshot;
                }
                return false;
            }
            it.changes = it.changes.wrapping_add(1);
            it.snapshot = snapshot.clone();
            for (_, queue) in &mut it.queues {
                push(queue, snapshot.clone());
            }
            true
        });
        if has_changed {
            self.0.changed.notify();
        }
    }

    /// Holds the next poll for as long as the gateway wants.
    pub(super) fn hold_polls(&self, retry_after_ms: u32) {
        let wait = f64::from(retry_after_ms.min(schedule::poll::MAX_WAIT_MS));
        let until = self.client().platform().now() + wait;
        self.0
            .state
            .with(|it| it.not_before = it.not_before.max(until));
    }
}

/// Appends a snapshot to what a subscriber has not taken yet. It replaces the last one where that has the same state, and
/// where there are too many.
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

/// The follower of a task, and the place among those who wait for it.
type Following<P> = (Arc<Follower<P>>, Waiter<P>);

/// The snapshots of a task or a pipeline, one after the other.
pub struct Subscription<P: Platform> {
    task: Task<P>,
    number: u32,
    retry: RetryPolicy<P>,
    following: Lock<Option<Following<P>>>,
    is_closed: AtomicBool,
}

impl<P: Platform> Subscription<P> {
    /// Waits for the next snapshot; `None` after the last one. Dropping the future loses none.
    ///
    /// # Errors
    /// Any error of a read. The next call follows the task anew.
    pub async fn next(&self) -> Result<Option<Arc<Snapshot<P::Value>>>, Error<P>> {
        let unread = || {
            self.task.0.state.with(|it| {
                let queue = it.queues.iter_mut().find(|it| it.0 == self.number);
                queue.and_then(|it| it.1.pop_front())
            })
        };
        if let Some(snapshot) = unread() {
            return Ok(Some(snapshot));
        }
        if self.has_ended() {
            return Ok(None);
        }
        let follower = self.following.with(|following| {
            let running = following.take().filter(|it| it.0.result().is_none());
            let running = running.unwrap_or_else(|| {
                let follower = self.task.follower();
                let waiting = follower.join(&self.retry);
                (follower, waiting)
            });
            following.insert(running).0.clone()
        });
        let next = || {
            unread().map(|it| Ok(Some(it))).or_else(|| {
                if self.has_ended() {
                    return Some(Ok(None));
                }
                follower.result()?.err().map(Err)
            })
        };
        self.task.0.changed.until(next).await
    }

    /// Ends the subscription: a wait for the next snapshot ends with `None`.
    pub fn close(&self) {
        self.is_closed.store(true, Ordering::Relaxed);
        let following = self.following.with(Option::take);
        drop(following);
        self.task.0.changed.notify();
    }

    fn has_ended(&self) -> bool {
        self.is_closed.load(Ordering::Relaxed) || self.task.has_ended()
    }

    /// Waits for the next snapshot within limits, which end this wait alone.
    ///
    /// # Errors
    /// Those of [`Subscription::next`] and of the limits.
    pub async fn next_within(
        &self,
        limits: Limits<P>,
    ) -> Result<Option<Arc<Snapshot<P::Value>>>, Error<P>> {
        limits
            .apply(self.task.client().platform(), self.next())
            .await
    }
}

impl<P: Platform> Drop for Subscription<P> {
    fn drop(&mut self) {
        let number = self.number;
        self.task
            .0
            .state
            .with(|it| it.queues.retain(|it| it.0 != number));
    }
}

/// The snapshot of a task or a pipeline that succeeded; an error with it for any other last state.
fn result<P: Platform>(
    snapshot: &Arc<Snapshot<P::Value>>,
) -> Result<Arc<Snapshot<P::Value>>, Error<P>> {
    let state = snapshot.state.as_deref().unwrap_or_default();
    let (kind, message, hint) = match (state, snapshot.capability) {
        ("FAILED", Some(_)) => (Kind::TaskFailed, "the task failed", Hint::ReadTask),
        ("EXPIRED", Some(_)) => {
            let message = "the task expired before it was done";
            (Kind::TaskExpired, message, Hint::ReadTask)
        }
        ("FAILED", None) => (Kind::PipelineFailed, "the pipeline failed", Hint::ReadSteps),
        ("CANCELLED", None) => {
            let message = "the pipeline was cancelled";
            (Kind::PipelineCancelled, message, Hint::ReadSteps)
        }
        _ => return Ok(snapshot.clone()),
    };
    let mut message = String::from(message);
    let record = snapshot.raw.as_ref();
    let step = snapshot
        .capability
        .is_none()
        .then(|| failed_step(record?))
        .flatten();
    let name = step.as_ref().map(|it| it.0.clone());
    let reason = match (&step, snapshot.capability) {
        (Some((name, step)), _) => {
            message = concat(&["the pipeline failed at ", name]);
            error_message(step)
        }
        (None, Some(_)) => record.and_then(error_message),
        (None, None) => None,
    };
    if let Some(reason) = reason {
        message.push_str(": ");
        message.push_str(&reason);
    }
    Err(Error::new(kind, &message).hint(hint).edit(|it| {
        it.snapshot = Some(snapshot.clone());
        it.step = name;
    }))
}

/// The reason of a failure (§3), as the gateway normalises it.
fn error_message<V: Value>(record: &V) -> Option<String> {
    let message = record.get("error")?.get("message")?;
    Some(String::from(&*message.text()?))
}

/// The first step of a pipeline that failed, with its name.
fn failed_step<V: Value>(record: &V) -> Option<(String, V)> {
    let steps = record.get("steps")?;
    let has_failed = |step: &V| {
        let state = step.get("state");
        ["FAILED", "UNKNOWN"]
            .iter()
            .any(|it| state.as_ref().is_some_and(|state| state.is(it)))
    };
    let failed = steps.items().find(has_failed)?;
    let name = failed.get("name")?.text()?;
    Some((String::from(&*name), failed))
}

/// The milliseconds after which the gateway expects that a poll is worth it, where it said so.
pub(super) fn poll_after_ms<V: Value>(snapshot: &Snapshot<V>) -> Option<u32> {
    /// The shortest interval between two polls, whatever the gateway expects.
    const MIN_POLL_MS: u32 = 150;
    let seconds = snapshot.raw.as_ref()?.get("poll_after")?.number()?;
    (seconds > 0.0)
        .then(|| ((seconds * 1000.0) as u32).clamp(MIN_POLL_MS, schedule::poll::MAX_WAIT_MS))
}

/// Whether two records are the same JSON, except for what members `eta` have, and for members `poll_after`: what the gateway
/// expects of a task changes with each second.
fn is_same_record<V: HostValue>(one: Option<&V>, other: Option<&V>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => is_same(one, other),
        _ => false,
    }
}

fn is_same<V: HostValue>(one: &V, other: &V) -> bool {
    match (one.kind(), other.kind()) {
        (Type::List, Type::List) => {
            one.length() == other.length()
                && one
                    .items()
                    .zip(other.items())
                    .all(|(one, other)| is_same(&one, &other))
        }
        (Type::Object, Type::Object) => {
            let names = |it: &V| it.keys().filter(|it| **it != *"poll_after").count();
            names(one) == names(other)
                && one.keys().filter(|it| **it != *"poll_after").all(|name| {
                    match (one.get(&name), other.get(&name)) {
                        (Some(one), Some(other)) => *name == *"eta" || is_same(&one, &other),
                        (one, other) => one.is_none() && other.is_none(),
                    }
                })
        }
        _ => one.is_same(other),
    }
}

impl<P: Platform> fmt::Debug for Task<P> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Task")
            .field("id", &self.0.id)
            .field("state", &self.snapshot().state)
            .finish_non_exhaustive()
    }
}
