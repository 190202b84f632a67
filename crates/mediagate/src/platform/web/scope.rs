use js_sys::{Reflect, global};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::EventTarget;

/// Returns the window, or the global scope of a worker.
pub(super) fn scope() -> EventTarget {
    global().unchecked_into()
}

/// Returns the document; `None` in a worker.
pub(super) fn document() -> Option<JsValue> {
    member(&global(), "document")
}

/// Returns a member; `None` if there is none, or if the browser does not allow to read it.
pub(super) fn member(object: &JsValue, name: &str) -> Option<JsValue> {
    Reflect::get(object, &name.into())
        .ok()
        .filter(|value| !value.is_undefined() && !value.is_null())
}
