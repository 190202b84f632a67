//! A task.

use std::rc::Rc;

use js_sys::Promise;
use wasm_bindgen::prelude::*;

use super::promise;
use crate::engine::task::{self, Until};
use crate::value::Js;

/// A task. Its `id`, `state` and so on are added in JavaScript: they are the members of [`Task::snapshot`].
#[wasm_bindgen(skip_typescript)]
pub struct Task(Rc<task::Task>);

#[wasm_bindgen]
impl Task {
    /// What was last seen of it; the same object until it changes.
    #[wasm_bindgen(getter)]
    pub fn snapshot(&self) -> JsValue {
        self.0.snapshot()
    }

    /// What brings it back after a reload.
    #[wasm_bindgen(js_name = toJSON)]
    pub fn saved(&self) -> JsValue {
        self.0.saved()
    }

    /// Looks at it now.
    pub fn refresh(&self, options: JsValue) -> Promise {
        self.watch(Until::Look, options)
    }

    /// Waits for its end.
    pub fn done(&self, options: JsValue) -> Promise {
        self.watch(Until::End, options)
    }

    /// The snapshot that follows the one `after`; `undefined` after the last.
    pub fn next(&self, after: JsValue, options: JsValue) -> Promise {
        self.watch(Until::Change(after), options)
    }

    /// Keeps its stream open until it is freed.
    pub fn hold(&self) -> Hold {
        Hold { _of: task::Hold::new(&self.0) }
    }
}

/// A hold on a task: see [`task::Hold`].
#[wasm_bindgen(skip_typescript)]
pub struct Hold {
    _of: task::Hold,
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
