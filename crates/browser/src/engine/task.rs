//! A task: looked at, waited for, saved and taken up again (§3).

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use js_sys::Math;
use mediagate_core::{Capability, find, is_terminal, schedule};
use wasm_bindgen::JsValue;

use super::error::{Error, code};
use super::gateway::{Gateway, Wants};
use super::limits::{online, sleep_unseen};
use super::{host, snapshot};
use crate::value::Js;

/// One task of the caller's.
pub struct Task {
    gateway: Rc<Gateway>,
    capability: &'static Capability,
    /// Its id, empty where it was done from the start and there is nothing to ask for.
    id: String,
    seen: RefCell<JsValue>,
    /// How often it was looked at: the longer it takes, the rarer.
    looks: Cell<u32>,
}

impl Task {
    /// The task that a create answered, as its snapshot.
    pub fn created(gateway: Rc<Gateway>, capability: &'static Capability, seen: JsValue) -> Self {
        let id = Js(seen.clone()).string("id").unwrap_or_default();
        Task { gateway, capability, id, seen: RefCell::new(seen), looks: Cell::new(1) }
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
        let seen = match (id.trim().is_empty(), result.is_undefined()) {
            (true, true) => return Err(wrong()),
            (true, false) => snapshot::finished(capability, &Js(result)),
            (false, _) => snapshot::unknown(&id, capability),
        };
        Ok(Task { gateway, capability, id, seen: RefCell::new(seen), looks: Cell::new(0) })
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

    /// Watches it: looks now, or as often as its schedule says until there is something to say.
    ///
    /// # Errors
    /// `task_failed` and `task_expired` with [`Until::End`]; those of any read.
    pub async fn watch(&self, until: Until) -> Result<JsValue, Error> {
        let mut due = self.looks.get() == 0 || matches!(until, Until::Look);
        loop {
            if due && !self.id.is_empty() {
                self.look().await?;
            }
            let (now, ended) = (self.snapshot(), self.ended());
            match (&until, ended) {
                (Until::Look, _) => return Ok(now),
                (Until::Change(after), _) if now != *after => return Ok(now),
                (Until::Change(_), Some(_)) => return Ok(JsValue::UNDEFINED),
                (Until::End, Some(state)) => return verdict(&state, now),
                (_, None) => {}
            }
            sleep_unseen(schedule::poll::delay(self.looks.get(), None, Math::random())).await;
            online().await;
            due = true;
        }
    }

    fn ended(&self) -> Option<String> {
        Js(self.snapshot()).string("state").filter(|it| is_terminal(it))
    }

    async fn look(&self) -> Result<(), Error> {
        let id = String::from(js_sys::encode_uri_component(&self.id));
        let path = [self.capability.group().name(), "/tasks/", &id].concat();
        let mut call = self.gateway.call(&path, JsValue::UNDEFINED, Wants::Status(self.capability));
        call.request.capability = self.capability.name();
        let new = call.send().await?;
        // The record may write its id otherwise; the one it was created with is the one to ask for.
        host::set(&new, "id", &host::text(&self.id));
        self.looks.set(self.looks.get().saturating_add(1));
        self.see(new);
        Ok(())
    }

    /// Keeps what is new. A task that has ended stays so, whatever an answer that was overtaken says.
    fn see(&self, new: JsValue) {
        let text = |it: &JsValue| host::stringify(it).unwrap_or(JsValue::UNDEFINED);
        let ended = |it: &JsValue| Js(it.clone()).string("state").is_some_and(|it| is_terminal(&it));
        let mut seen = self.seen.borrow_mut();
        if text(&new) != text(&seen) && (ended(&new) || !ended(&seen)) {
            *seen = new;
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
