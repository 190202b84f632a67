//! A task.

use std::rc::Rc;

use js_sys::Promise;
use wasm_bindgen::prelude::*;

use super::promise::promise;
use crate::engine::task::{self, Until};
use crate::value::Js;

/// A task. `pkg/client.js` adds `id`, `state` and so on: they are the members of [`Task::snapshot`].
#[wasm_bindgen(skip_typescript)]
pub struct Task(Rc<task::Task>);

#[wasm_bindgen]
impl Task {
    /// Its last snapshot; the same object until it changes.
    #[wasm_bindgen(getter)]
    pub fn snapshot(&self) -> JsValue {
        self.0.snapshot()
    }

    /// `{id, capability, result?}`, from which it can be restored after a reload.
    #[wasm_bindgen(js_name = toJSON)]
    pub fn saved(&self) -> JsValue {
        self.0.saved()
    }

    /// A promise of its snapshot after one poll, with `{signal, timeout}`.
    pub fn refresh(&self, options: JsValue) -> Promise {
        self.watch(Until::Polled, options)
    }

    /// A promise of its last snapshot, with `{signal, timeout}`. Rejects with `task_failed` or `task_expired` where it
    /// did not succeed.
    pub fn done(&self, options: JsValue) -> Promise {
        self.watch(Until::End, options)
    }

    /// A promise of the next snapshot that is not `after`, with `{signal, timeout}`; of `undefined` after the last one.
    pub fn next(&self, after: JsValue, options: JsValue) -> Promise {
        self.watch(Until::Change(after), options)
    }

    /// A lease of its stream, which stays open until the lease is freed.
    pub fn lease(&self) -> StreamLease {
        StreamLease { _lease: task::StreamLease::new(&self.0) }
    }
}

/// A lease of a task's stream: see [`task::StreamLease`].
#[wasm_bindgen(skip_typescript)]
pub struct StreamLease {
    _lease: task::StreamLease,
}

impl Task {
    fn watch(&self, until: Until, options: JsValue) -> Promise {
        let task = Rc::clone(&self.0);
        promise(Js(options), task.watch(until))
    }
}

impl From<Rc<task::Task>> for Task {
    fn from(task: Rc<task::Task>) -> Self {
        Task(task)
    }
}
