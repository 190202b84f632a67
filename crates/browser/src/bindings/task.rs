//! A task.

use std::rc::Rc;

use js_sys::Promise;
use wasm_bindgen::prelude::*;

use super::promise;

use crate::engine::client::options;
use crate::engine::limits::Limits;
use crate::engine::task;

/// A task. Its `id`, `state` and so on are added in JavaScript: they are the members of [`Task::snapshot`].
#[wasm_bindgen(skip_typescript)]
pub struct Task(pub(super) Rc<task::Task>);

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
    ///
    /// # Errors
    /// Those of any read.
    pub fn refresh(&self, with: JsValue) -> Promise {
        let task = Rc::clone(&self.0);
        promise(async move { Limits::decode(&options(with)?)?.hold(task.refresh()).await })
    }

    /// Waits for its end.
    ///
    /// # Errors
    /// `task_failed` and `task_expired`, with the task; those of any read.
    pub fn done(&self, with: JsValue) -> Promise {
        let task = Rc::clone(&self.0);
        promise(async move { Limits::decode(&options(with)?)?.hold(task.done()).await })
    }

    /// The snapshot that follows the one `after`; `undefined` after the last.
    ///
    /// # Errors
    /// Those of any read.
    pub fn next(&self, after: JsValue, with: JsValue) -> Promise {
        let task = Rc::clone(&self.0);
        promise(
            async move { Limits::decode(&options(with)?)?.hold(task.next(&after)).await.map(Option::unwrap_or_default) },
        )
    }
}
