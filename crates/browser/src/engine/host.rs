//! What the engine asks of its host beyond web-sys and gloo-net: a few globals, each of which may throw.
//!
//! Methods are called by name, not through classes: a signal from another frame, or from a library that brings its own,
//! works just as well. A thrown exception must not cross the wasm frames in between, so everything that a caller's
//! object can make throw is caught.

use js_sys::{Array, Function, Object, Promise};
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// The platform's `fetch`, looked up at each call.
    #[wasm_bindgen(catch)]
    pub fn fetch(url: &JsValue, init: &JsValue) -> Result<Promise, JsValue>;
    /// A timer; browsers answer a number, Node an object.
    #[wasm_bindgen(js_name = setTimeout)]
    pub fn set_timeout(handler: &JsValue, milliseconds: u32) -> JsValue;
    /// Ends a timer.
    #[wasm_bindgen(js_name = clearTimeout)]
    pub fn clear_timeout(timer: &JsValue);

    /// The member of this name.
    #[wasm_bindgen(catch, js_namespace = Reflect)]
    pub fn get(target: &JsValue, name: &str) -> Result<JsValue, JsValue>;
    /// The element at this index.
    #[wasm_bindgen(catch, js_namespace = Reflect, js_name = get)]
    pub fn at(target: &JsValue, index: u32) -> Result<JsValue, JsValue>;
    /// Sets a member of an object of our own.
    #[wasm_bindgen(js_namespace = Reflect)]
    pub fn set(target: &JsValue, name: &str, value: &JsValue) -> bool;
    /// `new target(...arguments)`.
    #[wasm_bindgen(catch, js_namespace = Reflect)]
    pub fn construct(target: &JsValue, arguments: &Array) -> Result<JsValue, JsValue>;
    /// `function.apply(this, arguments)`.
    #[wasm_bindgen(catch, js_namespace = Reflect)]
    pub fn apply(function: &JsValue, this: &JsValue, arguments: &Array) -> Result<JsValue, JsValue>;
    /// The names of an object's own enumerable members.
    #[wasm_bindgen(catch, js_namespace = Object)]
    pub fn keys(object: &JsValue) -> Result<Array, JsValue>;
    /// Whether it is an array; a revoked proxy throws.
    #[wasm_bindgen(catch, js_namespace = Array, js_name = isArray)]
    pub fn is_array(value: &JsValue) -> Result<bool, JsValue>;
    /// JSON to a value, without a copy of the text in wasm memory.
    #[wasm_bindgen(catch, js_namespace = JSON)]
    pub fn parse(text: &JsValue) -> Result<JsValue, JsValue>;
    /// A value to JSON, without a copy of the text in wasm memory.
    #[wasm_bindgen(catch, js_namespace = JSON)]
    pub fn stringify(value: &JsValue) -> Result<JsValue, JsValue>;
    /// Fills the bytes at random. Unlike `randomUUID` it is there on plain http too.
    #[wasm_bindgen(catch, js_namespace = crypto, js_name = getRandomValues)]
    pub fn random(bytes: &mut [u8]) -> Result<(), JsValue>;
}

/// Calls a method of any object by its name; `undefined` where it has none, or where that throws.
pub fn call(object: &JsValue, method: &str, arguments: &Array) -> Result<JsValue, JsValue> {
    apply(&get(object, method)?, object, arguments)
}

/// Calls a function of our own that can't fail.
pub fn ring(function: &JsValue) {
    let _ = apply(function, &JsValue::UNDEFINED, &Array::new());
}

/// Text as a JavaScript value.
pub fn text(text: &str) -> JsValue {
    JsValue::from_str(text)
}

/// An object of texts.
pub fn object(members: &[(&str, &str)]) -> JsValue {
    let object: JsValue = Object::new().into();
    for (name, value) in members {
        set(&object, name, &text(value));
    }
    object
}

/// A promise with the function that settles it.
pub fn deferred() -> (Promise, JsValue) {
    let mut settle = JsValue::UNDEFINED;
    let promise = Promise::new(&mut |resolve: Function, _| settle = resolve.into());
    (promise, settle)
}
