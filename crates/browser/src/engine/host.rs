//! What the engine asks of its host beyond gloo-net: a few globals, each of which may throw.
//!
//! Methods are called by name, not through web-sys' classes: a signal from another frame, or from a library that brings
//! its own, works just as well. A thrown exception must not cross the wasm frames in between, so everything that a
//! caller's object can make throw is caught.

use js_sys::{Array, Function, Object, Promise};
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// The platform's `fetch`, looked up at each call.
    #[wasm_bindgen(catch)]
    pub fn fetch(url: &str, init: &JsValue) -> Result<Promise, JsValue>;
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

    /// An `AbortSignal` or what looks like one.
    pub type Signal;
    /// Whether it was aborted.
    #[wasm_bindgen(method, catch, getter)]
    pub fn aborted(this: &Signal) -> Result<JsValue, JsValue>;
    /// Calls back on an event.
    #[wasm_bindgen(method, catch, js_name = addEventListener)]
    pub fn listen(this: &Signal, event: &str, handler: &JsValue) -> Result<(), JsValue>;
    /// Stops calling back.
    #[wasm_bindgen(method, catch, js_name = removeEventListener)]
    pub fn unlisten(this: &Signal, event: &str, handler: &JsValue) -> Result<(), JsValue>;

    /// An object that shows the progress of an upload, where the platform has it.
    #[wasm_bindgen(js_name = XMLHttpRequest)]
    pub type Xhr;
    /// Throws where the platform has none.
    #[wasm_bindgen(constructor, catch, js_class = "XMLHttpRequest")]
    pub fn new() -> Result<Xhr, JsValue>;
    /// Sets method and URL.
    #[wasm_bindgen(method, catch)]
    pub fn open(this: &Xhr, method: &str, url: &str) -> Result<(), JsValue>;
    /// Sets a header.
    #[wasm_bindgen(method, catch, js_name = setRequestHeader)]
    pub fn header(this: &Xhr, name: &str, value: &str) -> Result<(), JsValue>;
    /// Sends a body.
    #[wasm_bindgen(method, catch)]
    pub fn send(this: &Xhr, body: &JsValue) -> Result<(), JsValue>;
    /// Ends it.
    #[wasm_bindgen(method)]
    pub fn abort(this: &Xhr);
    /// Its upload, which tells its progress.
    #[wasm_bindgen(method, getter)]
    pub fn upload(this: &Xhr) -> JsValue;
    /// The HTTP status, 0 where there was no answer.
    #[wasm_bindgen(method, getter)]
    pub fn status(this: &Xhr) -> u16;
    /// The answer's text.
    #[wasm_bindgen(method, catch, getter, js_name = responseText)]
    pub fn text(this: &Xhr) -> Result<JsValue, JsValue>;
}

/// Calls a function without arguments; what it throws is its own matter.
pub fn call(function: &JsValue) {
    let _ = function.unchecked_ref::<Function>().call0(&JsValue::UNDEFINED);
}

/// Text as a JavaScript value.
pub fn text(text: &str) -> JsValue {
    JsValue::from_str(text)
}

/// A promise with the function that settles it.
pub fn deferred() -> (Promise, JsValue) {
    let mut settle = JsValue::UNDEFINED;
    let promise = Promise::new(&mut |resolve, _| settle = resolve.into());
    (promise, settle)
}

/// An object of texts.
pub fn object(members: &[(&str, &str)]) -> JsValue {
    let object: JsValue = Object::new().into();
    for (name, value) in members {
        set(&object, name, &text(value));
    }
    object
}
