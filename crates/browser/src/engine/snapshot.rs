//! Snapshots: the state of a task at one time, as a plain JavaScript object.

use mediagate_core::{Capability, Task, Value};
use wasm_bindgen::JsValue;

use crate::host;
use crate::value::Js;

/// The snapshot of a decoded record: `{id, capability, state, progress, outputs, raw}`.
pub fn of(capability: Option<&Capability>, task: Task<Js>) -> JsValue {
    host::snapshot(&task.id, capability.map(Capability::name), task.state.as_deref(), task.progress, &task.raw.0)
}

/// The snapshot of a result that came in place of a task, which is then already done (§4.2). The gateway sends it as
/// `data.result`. Its id is empty.
pub fn finished(capability: &Capability, data: &Js) -> JsValue {
    let result = data.get("result").unwrap_or_else(|| data.clone());
    host::snapshot("", Some(capability.name()), Some("SUCCEEDED"), Some(1.0), &result.0)
}

/// The snapshot of a task of which only the id and the capability are known.
pub fn unknown(id: &str, capability: &Capability) -> JsValue {
    host::snapshot(id, Some(capability.name()), None, None, &JsValue::UNDEFINED)
}
