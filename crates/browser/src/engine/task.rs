//! A task: looked at, waited for, saved and taken up again (§3).

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use js_sys::{Math, Object};
use mediagate_core::{Capability, Expects, Value, find, schedule};
use wasm_bindgen::JsValue;

use super::answer::{self, Success};
use super::error::{Error, code};
use super::gateway::Gateway;
use super::host;
use super::limits::sleep;
use super::snapshot::Snapshot;
use crate::value::Js;

/// One task of the caller's.
pub struct Task {
    gateway: Rc<Gateway>,
    capability: &'static Capability,
    id: String,
    seen: RefCell<Snapshot>,
    /// How often it was looked at: the longer it takes, the rarer.
    looks: Cell<u32>,
}

impl Task {
    /// The task that a create answered.
    pub fn created(gateway: Rc<Gateway>, capability: &'static Capability, success: Success) -> Self {
        let (id, seen) = match success {
            Success::Task(task) => (task.id.clone(), Snapshot::of(&task.id.clone(), capability.name(), task)),
            Success::Result(data) => {
                (String::new(), Snapshot::finished(capability, &data.get("result").unwrap_or(data)))
            }
        };
        Task { gateway, capability, id, seen: RefCell::new(seen), looks: Cell::new(1) }
    }

    /// A task taken up again from what [`Task::saved`] gave.
    pub fn restored(gateway: Rc<Gateway>, saved: &Js) -> Result<Self, Error> {
        let wrong = || Error::argument("this is no saved task; give what JSON.stringify(task) gave, parsed");
        let capability = saved.string("capability").and_then(|it| find(&it)).ok_or_else(wrong)?;
        let id = saved.string("id").ok_or_else(wrong)?;
        let seen = match saved.get("result") {
            Some(result) => Snapshot::finished(capability, &result),
            None if id.trim().is_empty() => return Err(wrong()),
            None => Snapshot::unknown(&id, capability),
        };
        Ok(Task { gateway, capability, id, seen: RefCell::new(seen), looks: Cell::new(0) })
    }

    /// `{id, capability}`, or with `result` where there is no id to ask for.
    pub fn saved(&self) -> JsValue {
        let object = Object::new();
        host::set(&object, "id", &host::text(&self.id));
        host::set(&object, "capability", &host::text(self.capability.name()));
        if self.id.is_empty() {
            host::set(&object, "result", &Js(self.snapshot()).member("raw"));
        }
        object.into()
    }

    /// What was last seen of it, `{id, capability, state, progress, outputs, raw}`; the same object until it changes.
    pub fn snapshot(&self) -> JsValue {
        self.seen.borrow().object.clone()
    }

    /// Looks at it now.
    pub async fn refresh(&self) -> Result<JsValue, Error> {
        if !self.id.is_empty() {
            self.look().await?;
        }
        Ok(self.snapshot())
    }

    /// The next snapshot that differs from the one `after`, at once if there is one already; `None` after the last.
    /// Without `after`, the current state.
    pub async fn next(&self, after: &JsValue) -> Result<Option<JsValue>, Error> {
        if self.looks.get() == 0 {
            self.look().await?;
        }
        while self.snapshot() == *after {
            if self.seen.borrow().is_terminal() {
                return Ok(None);
            }
            self.wait_and_look().await?;
        }
        Ok(Some(self.snapshot()))
    }

    /// Waits for its end: the last snapshot, or an error for a task that did not succeed.
    pub async fn done(&self) -> Result<JsValue, Error> {
        if self.looks.get() == 0 {
            self.look().await?;
        }
        while !self.seen.borrow().is_terminal() {
            self.wait_and_look().await?;
        }
        let seen = self.seen.borrow();
        let (code, message) = match seen.state.as_deref() {
            Some("FAILED") => {
                (code::TASK_FAILED, "the task failed; error.task.raw has all that the service says of it")
            }
            Some("EXPIRED") => (code::TASK_EXPIRED, "the task expired before it was done; create it again"),
            _ => return Ok(seen.object.clone()),
        };
        Err(Error::new(code, message).with("task", seen.object.clone()))
    }

    async fn wait_and_look(&self) -> Result<(), Error> {
        sleep(schedule::poll::delay(self.looks.get(), None, Math::random())).await;
        self.look().await
    }

    async fn look(&self) -> Result<(), Error> {
        let id = String::from(js_sys::encode_uri_component(&self.id));
        let path = [self.capability.group().name(), "/tasks/", &id].concat();
        match self.gateway.read(&path, None, Expects::Task).await? {
            Success::Task(task) => self.see(Snapshot::of(&self.id, self.capability.name(), task)),
            Success::Result(_) => return Err(answer::unreadable(200, mediagate_core::answer::NO_TASK)),
        }
        self.looks.set(self.looks.get().saturating_add(1));
        Ok(())
    }

    /// Keeps what is new. A task that has ended stays so, whatever an answer that was overtaken says.
    fn see(&self, new: Snapshot) {
        let mut seen = self.seen.borrow_mut();
        if new.text != seen.text && (new.is_terminal() || !seen.is_terminal()) {
            *seen = new;
        }
    }
}
