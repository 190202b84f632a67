//! What the engine asks of the platform beyond web-sys and gloo-net: a few globals, and the steps of `host.js`, each of
//! which would be many calls from here.
//!
//! Methods are called by name, not through classes: a signal from another frame, or from a library that brings its own,
//! works just as well. A thrown exception must not cross the wasm frames in between, so everything that a caller's
//! object can make throw is caught, here or there.

use js_sys::{Array, Object, Promise};
use wasm_bindgen::prelude::*;

#[wasm_bindgen(module = "/src/host.js")]
extern "C" {
    /// The place of a value's type in [`crate::value::KINDS`].
    pub fn kind(value: &JsValue) -> usize;
    /// The member of this name; `undefined` where there is none, also of what is no object, and where asking throws.
    pub fn member(target: &JsValue, name: &str) -> JsValue;
    /// The member's text, where it is one.
    #[wasm_bindgen(js_name = text)]
    pub fn string(target: &JsValue, name: &str) -> Option<String>;
    /// An object without some of its members, whose names stand in one text; of any other value an empty object.
    pub fn without(object: &JsValue, names: &str) -> JsValue;
    /// The text of JSON, as a value; `undefined` for any other. The text is not copied into wasm memory.
    pub fn parsed(text: &JsValue) -> JsValue;
    /// A task as JavaScript sees it: `{id, capability, state, progress, outputs, raw}`.
    pub fn snapshot(
        id: &str,
        capability: Option<&str>,
        state: Option<&str>,
        progress: Option<f64>,
        raw: &JsValue,
    ) -> JsValue;

    /// A caller's input, read once: see [`crate::given::Given`].
    pub type Input;
    /// Reads it.
    #[wasm_bindgen(constructor)]
    pub fn new(value: &JsValue) -> Input;
    /// A copy, to be sent.
    #[wasm_bindgen(method, getter)]
    pub fn body(this: &Input) -> JsValue;
    /// Its tokens, parted by NUL.
    #[wasm_bindgen(method, getter)]
    pub fn text(this: &Input) -> String;
    /// The number of each token.
    #[wasm_bindgen(method, getter)]
    pub fn numbers(this: &Input) -> Vec<f64>;
    /// The files in it.
    #[wasm_bindgen(method, getter)]
    pub fn files(this: &Input) -> Array<web_sys::Blob>;
    /// Puts the id of an uploaded file where that file was.
    #[wasm_bindgen(method)]
    pub fn place(this: &Input, index: u32, id: &JsValue);
    /// Makes a list of the one value of this name.
    #[wasm_bindgen(method)]
    pub fn enlist(this: &Input, name: &str);

    /// One request, and its answer.
    pub type Exchange;
    /// One that is not begun.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Exchange;
    /// Sends the request and reads the answer, but for a stream of `events`, where one is asked for and comes: that is
    /// left open. `progress` is `null` where the body is no file. Rejects with what `fetch` rejects with.
    #[wasm_bindgen(method)]
    pub fn send(
        this: &Exchange,
        method: &str,
        url: &str,
        headers: &JsValue,
        body: &JsValue,
        progress: &JsValue,
        network: &JsValue,
        capability: &str,
        events: bool,
    ) -> Promise;
    /// The HTTP status, 0 where what came is no answer.
    #[wasm_bindgen(method, getter)]
    pub fn status(this: &Exchange) -> u16;
    /// The body, `undefined` where it was no JSON.
    #[wasm_bindgen(method, getter)]
    pub fn body(this: &Exchange) -> JsValue;
    /// The stream of events, as an exchange of its own, from now on another's to end; `undefined` where there is none.
    #[wasm_bindgen(method)]
    pub fn stream(this: &Exchange) -> JsValue;
    /// A header's value, `undefined` where it can't be seen.
    #[wasm_bindgen(method)]
    pub fn header(this: &Exchange, name: &str) -> JsValue;
    /// Seconds to wait, from `Retry-After`; `undefined` where it says none.
    #[wasm_bindgen(method)]
    pub fn wait(this: &Exchange) -> JsValue;
    /// The next text of a stream, which may be empty, `undefined` at its end. Rejects where it breaks.
    #[wasm_bindgen(method)]
    pub fn read(this: &Exchange) -> Promise;
    /// Ends it, where it is not over.
    #[wasm_bindgen(method)]
    pub fn abort(this: &Exchange);

    /// What rings when its time has come or its event happens.
    pub type Alarm;
    /// Sets one.
    #[wasm_bindgen(constructor)]
    pub fn new(milliseconds: Option<u32>, target: &JsValue, event: &str) -> Alarm;
    /// Fulfilled when it rings.
    #[wasm_bindgen(method, getter)]
    pub fn rung(this: &Alarm) -> Promise;
    /// Ends it; it rings once more.
    #[wasm_bindgen(method)]
    pub fn stop(this: &Alarm);

    /// 32 hexadecimal digits that no other has.
    #[wasm_bindgen(catch)]
    pub fn unique() -> Result<String, JsValue>;
    /// The page, where nobody sees it.
    pub fn unseen() -> JsValue;
    /// The global object, where the platform says that there is no connection.
    pub fn offline() -> JsValue;
    /// Whether requests to this URL are known to share a connection, over HTTP/2 and later.
    pub fn multiplexed(base: &str) -> bool;
    /// The absolute address of a text or a `URL`.
    pub fn href(url: &JsValue) -> Option<String>;
    /// What was kept under a name in `localStorage`, whose very mention may throw.
    pub fn kept(name: &str) -> JsValue;
    /// Keeps a value under a name, where there is storage.
    pub fn keep(name: &str, value: &JsValue);
    /// A file of bytes.
    #[wasm_bindgen(catch)]
    pub fn file(bytes: &JsValue, name: &str, r#type: &str) -> Result<web_sys::Blob, JsValue>;
    /// Everything in a stream, as a blob, unless the signal ends it.
    pub fn drained(stream: &JsValue, signal: &JsValue) -> Promise;
}

#[wasm_bindgen]
extern "C" {
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
    /// A value to JSON, without a copy of the text in wasm memory.
    #[wasm_bindgen(catch, js_namespace = JSON)]
    pub fn stringify(value: &JsValue) -> Result<JsValue, JsValue>;
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
