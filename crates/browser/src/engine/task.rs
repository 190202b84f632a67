//! A task: looked at, waited for, saved and taken up again (§3).

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use js_sys::Math;
use mediagate_core::{Capability, find, is_terminal, schedule};
use wasm_bindgen::JsValue;

use super::error::{Error, code};
use super::gateway::{Gateway, Wants};
use super::limits::sleep;
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

    /// Looks at it now.
    ///
    /// # Errors
    /// Those of any read.
    pub async fn refresh(&self) -> Result<JsValue, Error> {
        self.look().await?;
        Ok(self.snapshot())
    }

    /// The next snapshot that differs from the one `after`, at once if there is one already; `undefined` after the last.
    /// Without `after`, the current state.
    ///
    /// # Errors
    /// Those of any read.
    pub async fn next(&self, after: &JsValue) -> Result<JsValue, Error> {
        if self.looks.get() == 0 {
            self.look().await?;
        }
        while self.snapshot() == *after {
            if self.ended().is_some() {
                return Ok(JsValue::UNDEFINED);
            }
            self.wait().await?;
        }
        Ok(self.snapshot())
    }

    /// Waits for its end.
    ///
    /// # Errors
    /// `task_failed` and `task_expired`, with the task; those of any read.
    pub async fn done(&self) -> Result<JsValue, Error> {
        if self.looks.get() == 0 {
            self.look().await?;
        }
        let state = loop {
            match self.ended() {
                Some(state) => break state,
                None => self.wait().await?,
            }
        };
        let (code, message) = match state.as_str() {
            "FAILED" => (code::TASK_FAILED, "the task failed; error.task.raw has all that the service says of it"),
            "EXPIRED" => (code::TASK_EXPIRED, "the task expired before it was done; create it again"),
            _ => return Ok(self.snapshot()),
        };
        Err(Error::new(code, message).with("task", self.snapshot()))
    }

    fn ended(&self) -> Option<String> {
        Js(self.snapshot()).string("state").filter(|it| is_terminal(it))
    }

    async fn wait(&self) -> Result<(), Error> {
        sleep(schedule::poll::delay(self.looks.get(), None, Math::random())).await;
        self.look().await
    }

    async fn look(&self) -> Result<(), Error> {
        if self.id.is_empty() {
            return Ok(());
        }
        let id = String::from(js_sys::encode_uri_component(&self.id));
        let path = [self.capability.group().name(), "/tasks/", &id].concat();
        let new = self.gateway.read(&path, &JsValue::UNDEFINED, Wants::Status(self.capability)).await?;
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
