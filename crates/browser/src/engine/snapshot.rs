//! What is known of a task at one moment: for JavaScript a plain object.

use js_sys::Array;
use mediagate_core::{Capability, Task, Type, Value};
use wasm_bindgen::JsValue;

use super::host;
use crate::value::Js;

/// A task as its record tells it: `{id, capability, state, progress, outputs, raw}`.
pub fn of(capability: Option<&Capability>, task: Task<Js>) -> JsValue {
    let progress = task.progress.map_or(JsValue::UNDEFINED, JsValue::from_f64);
    new(&task.id, capability, task.state.as_deref(), &progress, &task.raw)
}

/// An answer that came instead of a task: a task that is already done (§4.2). The gateway has it in `data.result`.
pub fn finished(capability: &Capability, data: &Js) -> JsValue {
    let result = data.get("result").unwrap_or_else(|| data.clone());
    new("", Some(capability), Some("SUCCEEDED"), &JsValue::from_f64(1.0), &result)
}

/// A task of which no more is known than that it exists.
pub fn unknown(id: &str, capability: &Capability) -> JsValue {
    new(id, Some(capability), None, &JsValue::UNDEFINED, &Js(JsValue::UNDEFINED))
}

fn new(id: &str, capability: Option<&Capability>, state: Option<&str>, progress: &JsValue, raw: &Js) -> JsValue {
    let object = host::object(&[("id", id)]);
    let optional = |text: Option<&str>| text.map_or(JsValue::UNDEFINED, host::text);
    host::set(&object, "capability", &optional(capability.map(Capability::name)));
    host::set(&object, "state", &optional(state));
    host::set(&object, "progress", progress);
    let outputs = raw.get("outputs").filter(|it| it.kind() == Type::List);
    host::set(&object, "outputs", &outputs.map_or_else(|| Array::new().into(), |it| it.0));
    host::set(&object, "raw", &raw.0);
    object
}
