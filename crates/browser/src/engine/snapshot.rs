//! What is known of a task at one moment: for JavaScript a plain object.

use mediagate_core::{Capability, Task, Value};
use wasm_bindgen::JsValue;

use super::host;
use crate::value::Js;

/// A task as its record tells it: `{id, capability, state, progress, outputs, raw}`.
pub fn of(capability: Option<&Capability>, task: Task<Js>) -> JsValue {
    host::snapshot(&task.id, capability.map(Capability::name), task.state.as_deref(), task.progress, &task.raw.0)
}

/// An answer that came instead of a task: a task that is already done (§4.2). The gateway has it in `data.result`.
pub fn finished(capability: &Capability, data: &Js) -> JsValue {
    let result = data.get("result").unwrap_or_else(|| data.clone());
    host::snapshot("", Some(capability.name()), Some("SUCCEEDED"), Some(1.0), &result.0)
}

/// A task of which no more is known than that it exists.
pub fn unknown(id: &str, capability: &Capability) -> JsValue {
    host::snapshot(id, Some(capability.name()), None, None, &JsValue::UNDEFINED)
}
