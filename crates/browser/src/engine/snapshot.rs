//! What is known of a task at one moment.

use js_sys::{Array, Object};
use mediagate_core::{Capability, Task, Type, Value, is_terminal};
use wasm_bindgen::JsValue;

use super::host;
use crate::value::Js;

/// A task at one moment; for JavaScript a plain object.
#[derive(Clone)]
pub struct Snapshot {
    /// `{id, capability, state, progress, outputs, raw}`.
    pub object: JsValue,
    /// The state, where the record told one.
    pub state: Option<String>,
    /// The record as JSON, to see whether anything changed.
    pub text: JsValue,
}

impl Snapshot {
    /// A task of which no more is known than that it exists.
    pub fn unknown(id: &str, capability: &Capability) -> Self {
        Snapshot::new(id, capability.name(), None, None, &Js(JsValue::UNDEFINED))
    }

    /// A task as its record tells it; its id stays the one it was created with.
    pub fn of(id: &str, capability: &str, task: Task<Js>) -> Self {
        Snapshot::new(id, capability, task.state, task.progress, &task.raw)
    }

    /// An answer that came instead of a task: a task that is already done (§4.2).
    pub fn finished(capability: &Capability, result: &Js) -> Self {
        Snapshot::new("", capability.name(), Some("SUCCEEDED".into()), Some(1.0), result)
    }

    fn new(id: &str, capability: &str, state: Option<String>, progress: Option<f64>, raw: &Js) -> Self {
        let object = Object::new();
        let optional = |text: Option<&str>| text.map_or(JsValue::UNDEFINED, host::text);
        let outputs =
            raw.get("outputs").filter(|it| it.kind() == Type::List).map_or_else(|| Array::new().into(), |it| it.0);
        for (name, value) in [
            ("id", host::text(id)),
            ("capability", host::text(capability)),
            ("state", optional(state.as_deref())),
            ("progress", progress.map_or(JsValue::UNDEFINED, JsValue::from_f64)),
            ("outputs", outputs),
            ("raw", raw.0.clone()),
        ] {
            host::set(&object, name, &value);
        }
        let text = host::stringify(&raw.0).unwrap_or(JsValue::UNDEFINED);
        Snapshot { object: object.into(), state, text }
    }

    /// Whether the task has ended.
    pub fn is_terminal(&self) -> bool {
        self.state.as_deref().is_some_and(is_terminal)
    }
}
