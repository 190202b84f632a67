//! A task: polled, subscribed to, saved and restored (§3).

use std::cell::{Cell, RefCell};
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Poll, Waker};

use js_sys::Math;
use mediagate_core::text::concat;
use mediagate_core::{Capability, find, is_terminal, schedule};
use wasm_bindgen::JsValue;

use super::error::{Error, code};
use super::gateway::Gateway;
use super::limits::{online, sleep_longer_if_hidden};
use super::response::Expected;
use super::shared::{Shared, WeakShared};
use super::snapshot;
use super::stream::Feed;
use crate::host;
use crate::value::Js;

/// A task of the caller's.
pub struct Task {
    gateway: Rc<Gateway>,
    capability: &'static Capability,
    /// Its id; empty for a task that was already done when it was created, and cannot be polled.
    id: String,
    snapshot: RefCell<JsValue>,
    /// Whether a record of it was received.
    has_record: Cell<bool>,
    /// How often it was polled, which decides the interval of the next poll.
    poll_count: Cell<u32>,
    feed: Feed,
    /// The wait for its next change, which all subscribers share.
    next_change: RefCell<WeakShared>,
    /// The subscribers that wait: a change may also come from a poll of another caller.
    waiting: RefCell<Vec<Waker>>,
    /// How often its snapshot has changed.
    changes: Cell<u32>,
    /// The number of stream leases.
    leases: Cell<u32>,
}

impl Task {
    /// The task of a create, by the snapshot that the create returned.
    pub fn created(gateway: Rc<Gateway>, capability: &'static Capability, snapshot: JsValue) -> Self {
        let id = Js(snapshot.clone()).string("id").unwrap_or_default();
        Task::new(gateway, capability, id, snapshot, true)
    }

    fn new(
        gateway: Rc<Gateway>,
        capability: &'static Capability,
        id: String,
        snapshot: JsValue,
        has_record: bool,
    ) -> Self {
        let poll_count = Cell::new(u32::from(has_record));
        let (snapshot, has_record, leases) = (RefCell::new(snapshot), Cell::new(has_record), Cell::new(0));
        let (feed, next_change) = (Feed::default(), RefCell::default());
        let (waiting, changes) = (RefCell::default(), Cell::new(0));
        Task { gateway, capability, id, snapshot, has_record, poll_count, feed, next_change, waiting, changes, leases }
    }

    /// A task restored from the value of [`Task::saved`].
    ///
    /// # Errors
    /// `invalid_argument` for any other value.
    pub fn restored(gateway: Rc<Gateway>, saved: &Js) -> Result<Self, Error> {
        let invalid = || Error::argument("this is not a saved task; give JSON.parse(JSON.stringify(task))");
        let capability = saved.string("capability").and_then(|it| find(&it)).ok_or_else(invalid)?;
        let id = saved.string("id").ok_or_else(invalid)?;
        let result = saved.member("result");
        let (snapshot, has_record) = match (id.trim().is_empty(), result.is_undefined()) {
            (true, true) => return Err(invalid()),
            (true, false) => (snapshot::finished(capability, &Js(result)), true),
            (false, _) => (snapshot::unknown(&id, capability), false),
        };
        Ok(Task::new(gateway, capability, id, snapshot, has_record))
    }

    /// Whether the other is the same task. One without an id is the same as no other.
    pub fn is(&self, other: &Self) -> bool {
        !self.id.is_empty() && self.id == other.id && std::ptr::eq(self.capability, other.capability)
    }

    /// `{id, capability}`, and `result` for a task without an id.
    pub fn saved(&self) -> JsValue {
        let object = host::object(&[("id", &self.id), ("capability", self.capability.name())]);
        if self.id.is_empty() {
            host::set(&object, "result", &Js(self.snapshot()).member("raw"));
        }
        object
    }

    /// Its last snapshot; the same object until it changes.
    pub fn snapshot(&self) -> JsValue {
        self.snapshot.borrow().clone()
    }

    /// Polls it, or waits for its changes, as `until` says. Returns a snapshot, or `undefined` after the last change.
    ///
    /// # Errors
    /// `task_failed` and `task_expired` with [`Until::End`]; those of any read.
    pub async fn watch(self: Rc<Self>, until: Until) -> Result<JsValue, Error> {
        let _lease = StreamLease::new(&self);
        if matches!(until, Until::Polled) && !self.id.is_empty() {
            self.poll().await?;
        }
        loop {
            let (now, end, has_record) = (self.snapshot(), self.end_state(), self.has_record.get());
            match (&until, end) {
                (Until::Polled, _) => return Ok(now),
                (Until::Change(after), _) if has_record && now != *after => return Ok(now),
                (Until::Change(_), Some(_)) => return Ok(JsValue::UNDEFINED),
                (Until::End, Some(state)) => return into_result(&state, now),
                (_, None) => {}
            }
            let joined = self.next_change.borrow().join();
            let next_change = joined.unwrap_or_else(|| {
                let next_change = Shared::new(Box::pin(Rc::clone(&self).change()));
                *self.next_change.borrow_mut() = next_change.downgrade();
                next_change
            });
            self.changed(&now, next_change).await?;
        }
    }

    /// Waits until the snapshot is another than this one, by the shared wait or by a poll of another caller.
    async fn changed(&self, now: &JsValue, mut next_change: Shared) -> Result<(), Error> {
        poll_fn(|context| {
            if self.snapshot() != *now {
                return Poll::Ready(Ok(()));
            }
            let mut waiting = self.waiting.borrow_mut();
            if !waiting.iter().any(|it| it.will_wake(context.waker())) {
                waiting.push(context.waker().clone());
            }
            drop(waiting);
            Pin::new(&mut next_change).poll(context).map_ok(drop)
        })
        .await
    }

    /// Waits for a change: from the stream, or by polling on the schedule where there is none.
    async fn change(self: Rc<Self>) -> Result<JsValue, Error> {
        let before = self.snapshot();
        while self.snapshot() == before {
            match self.feed.next(&self.gateway, self.capability, &self.encoded_id()).await {
                Some(record) => self.update(record),
                None => {
                    if self.poll_count.get() > 0 {
                        let delay = schedule::poll::delay(self.poll_count.get(), None, Math::random());
                        sleep_longer_if_hidden(delay).await;
                        online().await;
                    }
                    self.poll().await?;
                }
            }
        }
        Ok(JsValue::UNDEFINED)
    }

    /// Its state, where that is a last one.
    fn end_state(&self) -> Option<String> {
        Js(self.snapshot()).string("state").filter(|it| is_terminal(it))
    }

    async fn poll(&self) -> Result<(), Error> {
        let path = concat(&[self.capability.group().name(), "/tasks/", &self.encoded_id()]);
        let mut call = self.gateway.call(&path, JsValue::UNDEFINED, Expected::Status(self.capability));
        call.request.capability = self.capability.name();
        let before = self.changes.get();
        let new = call.send().await?;
        self.poll_count.set(self.poll_count.get().saturating_add(1));
        // A change that the stream brought meanwhile is newer, unless this is the last state.
        if self.changes.get() == before || has_ended(&new) {
            self.update(new);
        }
        Ok(())
    }

    /// The id as a part of a path.
    fn encoded_id(&self) -> String {
        js_sys::encode_uri_component(&self.id).into()
    }

    /// Sets the snapshot, where it has changed. A task in a last state keeps it, also where an older response arrives
    /// later.
    pub fn update(&self, new: JsValue) {
        if *self.snapshot.borrow() == new {
            return;
        }
        // A record may write the id in another way. The one of the create is the one that can be polled.
        host::set(&new, "id", &host::string(&self.id));
        self.has_record.set(true);
        let json = |it: &JsValue| host::stringify(it).unwrap_or(JsValue::UNDEFINED);
        let has_changed = {
            let old = self.snapshot.borrow();
            json(&new) != json(&old) && (has_ended(&new) || !has_ended(&old))
        };
        if has_changed {
            *self.snapshot.borrow_mut() = new;
            self.changes.set(self.changes.get().wrapping_add(1));
            self.waiting.take().into_iter().for_each(Waker::wake);
        }
    }
}

fn has_ended(snapshot: &JsValue) -> bool {
    Js(snapshot.clone()).string("state").is_some_and(|it| is_terminal(&it))
}

/// Keeps a task's stream open. Without a lease between two updates, the stream would be closed and opened anew. The last
/// one that is dropped closes it.
pub struct StreamLease(Rc<Task>);

impl StreamLease {
    /// One more lease.
    pub fn new(task: &Rc<Task>) -> Self {
        task.leases.set(task.leases.get() + 1);
        StreamLease(Rc::clone(task))
    }
}

impl Drop for StreamLease {
    fn drop(&mut self) {
        let left = self.0.leases.get() - 1;
        self.0.leases.set(left);
        if left == 0 {
            self.0.feed.close();
        }
    }
}

/// How long [`Task::watch`] waits.
pub enum Until {
    /// For one poll.
    Polled,
    /// For a snapshot that is not this one; not at all where there is one already, or where the task has ended.
    Change(JsValue),
    /// For the end of the task.
    End,
}

/// The last snapshot of a task that succeeded; an error with it for any other last state.
fn into_result(state: &str, last: JsValue) -> Result<JsValue, Error> {
    let (code, message) = match state {
        "FAILED" => (code::TASK_FAILED, "the task failed; error.task.raw is the whole record"),
        "EXPIRED" => (code::TASK_EXPIRED, "the task expired before it was done; create it again"),
        _ => return Ok(last),
    };
    Err(Error::new(code, message).with("task", last))
}
