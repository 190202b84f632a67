//! A task: looked at, waited for, saved and taken up again (§3).

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
use super::gateway::{Gateway, Wants};
use super::limits::{online, sleep_unseen};
use super::shared::{Shared, Watch};
use super::stream::Feed;
use super::{host, snapshot};
use crate::value::Js;

/// One task of the caller's.
pub struct Task {
    gateway: Rc<Gateway>,
    capability: &'static Capability,
    /// Its id, empty where it was done from the start and there is nothing to ask for.
    id: String,
    seen: RefCell<JsValue>,
    /// Whether anything is known of it but its name.
    known: Cell<bool>,
    /// How often it was looked at: the longer it takes, the rarer.
    looks: Cell<u32>,
    feed: Feed,
    /// The wait for its next change, one for all who wait.
    changing: RefCell<Watch>,
    /// Who waits: a change may come on another way too.
    waiting: RefCell<Vec<Waker>>,
    /// How often something new was seen.
    changes: Cell<u32>,
    /// How many have a hold on it.
    holds: Cell<u32>,
}

impl Task {
    /// The task that a create answered, as its snapshot.
    pub fn created(gateway: Rc<Gateway>, capability: &'static Capability, seen: JsValue) -> Self {
        let id = Js(seen.clone()).string("id").unwrap_or_default();
        Task::new(gateway, capability, id, seen, true)
    }

    fn new(gateway: Rc<Gateway>, capability: &'static Capability, id: String, seen: JsValue, known: bool) -> Self {
        let looks = Cell::new(u32::from(known));
        let (seen, known, holds) = (RefCell::new(seen), Cell::new(known), Cell::new(0));
        let (feed, changing) = (Feed::default(), RefCell::default());
        let (waiting, changes) = (RefCell::default(), Cell::new(0));
        Task { gateway, capability, id, seen, known, looks, feed, changing, waiting, changes, holds }
    }

    /// A task taken up again from what [`Task::saved`] gave.
    ///
    /// # Errors
    /// `invalid_argument` for anything else.
    pub fn restored(gateway: Rc<Gateway>, saved: &Js) -> Result<Self, Error> {
        let wrong = || Error::argument("this is no saved task; give what JSON.stringify(task) gave, parsed");
        let capability = saved.string("capability").and_then(|it| find(&it)).ok_or_else(wrong)?;
        let id = saved.string("id").ok_or_else(wrong)?;
        let result = saved.member("result");
        let (seen, known) = match (id.trim().is_empty(), result.is_undefined()) {
            (true, true) => return Err(wrong()),
            (true, false) => (snapshot::finished(capability, &Js(result)), true),
            (false, _) => (snapshot::unknown(&id, capability), false),
        };
        Ok(Task::new(gateway, capability, id, seen, known))
    }

    /// Whether the other is the same task. One that was done from the start is like no other.
    pub fn is(&self, other: &Self) -> bool {
        !self.id.is_empty() && self.id == other.id && std::ptr::eq(self.capability, other.capability)
    }

    /// `{id, capability}`, or with `result` where there is no id to ask for.
    pub fn saved(&self) -> JsValue {
        let object = host::object(&[("id", &self.id), ("capability", self.capability.name())]);
        if self.id.is_empty() {
            host::set(&object, "result", &Js(self.snapshot()).member("raw"));
        }
        object
    }

    /// What was last seen of it; the same object until it changes.
    pub fn snapshot(&self) -> JsValue {
        self.seen.borrow().clone()
    }

    /// Watches it: looks now, or waits for what the gateway pushes until there is something to say.
    ///
    /// # Errors
    /// `task_failed` and `task_expired` with [`Until::End`]; those of any read.
    pub async fn watch(self: Rc<Self>, until: Until) -> Result<JsValue, Error> {
        let _hold = Hold::new(&self);
        if matches!(until, Until::Look) && !self.id.is_empty() {
            self.look().await?;
        }
        loop {
            let (now, ended, known) = (self.snapshot(), self.ended(), self.known.get());
            match (&until, ended) {
                (Until::Look, _) => return Ok(now),
                (Until::Change(after), _) if known && now != *after => return Ok(now),
                (Until::Change(_), Some(_)) => return Ok(JsValue::UNDEFINED),
                (Until::End, Some(state)) => return verdict(&state, now),
                (_, None) => {}
            }
            let joined = self.changing.borrow().join();
            let changing = joined.unwrap_or_else(|| {
                let changing = Shared::new(Box::pin(Rc::clone(&self).change()));
                *self.changing.borrow_mut() = changing.watch();
                changing
            });
            self.changed(&now, changing).await?;
        }
    }

    /// Waits for the change, and for any other that makes the snapshot another than this one.
    async fn changed(&self, now: &JsValue, mut changing: Shared) -> Result<(), Error> {
        poll_fn(|context| {
            if self.snapshot() != *now {
                return Poll::Ready(Ok(()));
            }
            let mut waiting = self.waiting.borrow_mut();
            if !waiting.iter().any(|it| it.will_wake(context.waker())) {
                waiting.push(context.waker().clone());
            }
            drop(waiting);
            Pin::new(&mut changing).poll(context).map_ok(drop)
        })
        .await
    }

    /// Waits until something else is known: from the stream, or by looking as often as the schedule says where there is
    /// none.
    async fn change(self: Rc<Self>) -> Result<JsValue, Error> {
        let before = self.snapshot();
        while self.snapshot() == before {
            match self.feed.next(&self.gateway, self.capability, &self.encoded()).await {
                Some(record) => self.see(record),
                None => {
                    if self.looks.get() > 0 {
                        sleep_unseen(schedule::poll::delay(self.looks.get(), None, Math::random())).await;
                        online().await;
                    }
                    self.look().await?;
                }
            }
        }
        Ok(JsValue::UNDEFINED)
    }

    fn ended(&self) -> Option<String> {
        Js(self.snapshot()).string("state").filter(|it| is_terminal(it))
    }

    async fn look(&self) -> Result<(), Error> {
        let path = concat(&[self.capability.group().name(), "/tasks/", &self.encoded()]);
        let mut call = self.gateway.call(&path, JsValue::UNDEFINED, Wants::Status(self.capability));
        call.request.capability = self.capability.name();
        let before = self.changes.get();
        let new = call.send().await?;
        self.looks.set(self.looks.get().saturating_add(1));
        // What the stream has told meanwhile is newer, unless this is the end.
        if self.changes.get() == before || has_ended(&new) {
            self.see(new);
        }
        Ok(())
    }

    /// The id as a part of a path.
    fn encoded(&self) -> String {
        js_sys::encode_uri_component(&self.id).into()
    }

    /// Keeps what is new. A task that has ended stays so, whatever an answer that was overtaken says.
    pub fn see(&self, new: JsValue) {
        if *self.seen.borrow() == new {
            return;
        }
        // The record may write its id otherwise; the one it was created with is the one to ask for.
        host::set(&new, "id", &host::text(&self.id));
        self.known.set(true);
        let text = |it: &JsValue| host::stringify(it).unwrap_or(JsValue::UNDEFINED);
        let is_news = {
            let seen = self.seen.borrow();
            text(&new) != text(&seen) && (has_ended(&new) || !has_ended(&seen))
        };
        if is_news {
            *self.seen.borrow_mut() = new;
            self.changes.set(self.changes.get().wrapping_add(1));
            self.waiting.take().into_iter().for_each(Waker::wake);
        }
    }
}

fn has_ended(snapshot: &JsValue) -> bool {
    Js(snapshot.clone()).string("state").is_some_and(|it| is_terminal(&it))
}

/// Keeps a task's stream open: without one, between two updates, it would end and have to be begun again.
pub struct Hold(Rc<Task>);

impl Hold {
    /// One more.
    pub fn new(task: &Rc<Task>) -> Self {
        task.holds.set(task.holds.get() + 1);
        Hold(Rc::clone(task))
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        let left = self.0.holds.get() - 1;
        self.0.holds.set(left);
        if left == 0 {
            self.0.feed.end();
        }
    }
}

/// How long to watch a task.
pub enum Until {
    /// One look.
    Look,
    /// Until a snapshot differs from this one; at once where one does already, `undefined` where none will.
    Change(JsValue),
    /// Until the task has ended.
    End,
}

/// The last snapshot, where the task succeeded.
fn verdict(state: &str, last: JsValue) -> Result<JsValue, Error> {
    let (code, message) = match state {
        "FAILED" => (code::TASK_FAILED, "the task failed; error.task.raw has all that the service says of it"),
        "EXPIRED" => (code::TASK_EXPIRED, "the task expired before it was done; create it again"),
        _ => return Ok(last),
    };
    Err(Error::new(code, message).with("task", last))
}
