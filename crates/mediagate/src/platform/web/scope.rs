//! What a page or a worker has by name.

use js_sys::{Reflect, global};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::EventTarget;

/// The window, or what a worker has in its place.
pub(super) fn scope() -> EventTarget {
    global().unchecked_into()
}

/// The document, which a worker does not have.
pub(super) fn document() -> Option<JsValue> {
    member(&global(), "document")
}

/// A member of a JavaScript object; `None` where it has none, or may not be read.
pub(super) fn member(object: &JsValue, name: &str) -> Option<JsValue> {
    Reflect::get(object, &name.into())
        .ok()
        .filter(|it| !it.is_undefined() && !it.is_null())
}
