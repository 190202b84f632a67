//! A task.

use wasm_bindgen::prelude::*;

use crate::engine::client::options;
use crate::engine::error::Error;
use crate::engine::limits::Limits;
use crate::engine::task;

/// A task. Its `id`, `state` and so on are added in JavaScript: they are the members of [`Task::snapshot`].
#[wasm_bindgen(skip_typescript)]
pub struct Task(pub(super) task::Task);

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
    pub async fn refresh(&self, with: JsValue) -> Result<JsValue, Error> {
        Limits::decode(&options(with)?)?.hold(self.0.refresh()).await
    }

    /// Waits for its end.
    ///
    /// # Errors
    /// `task_failed` and `task_expired`, with the task; those of any read.
    pub async fn done(&self, with: JsValue) -> Result<JsValue, Error> {
        Limits::decode(&options(with)?)?.hold(self.0.done()).await
    }

    /// The snapshot that follows the one `after`; `undefined` after the last.
    ///
    /// # Errors
    /// Those of any read.
    pub async fn next(&self, after: JsValue, with: JsValue) -> Result<Option<JsValue>, Error> {
        Limits::decode(&options(with)?)?.hold(self.0.next(&after)).await
    }
}
