//! What the client needs of the platform beyond web-sys and gloo-net: a few globals, and the functions of `host.js`,
//! each of which would take many calls from here.
//!
//! Methods are called by name and not through classes, so that a signal of another frame, or of a library with a class
//! of its own, works too. An exception must not cross wasm frames: whatever a caller's object can throw is caught here or
//! in `host.js`.

use js_sys::{Array, Object, Promise};
use wasm_bindgen::prelude::*;

#[wasm_bindgen(module = "/src/host.js")]
extern "C" {
    /// The type of a value, as an index into `value::KINDS`.
    pub fn kind(value: &JsValue) -> usize;
    /// The member of an object; `undefined` where it is absent, where its getter throws, and for a target that is no
    /// object.
    pub fn member(target: &JsValue, name: &str) -> JsValue;
    /// The member of an object, where it is a string.
    #[wasm_bindgen(js_name = stringMember)]
    pub fn string_member(target: &JsValue, name: &str) -> Option<String>;
    /// A copy of an object without the named members; `names` is one string, separated by spaces. An empty object for
    /// any other value.
    pub fn omit(object: &JsValue, names: &str) -> JsValue;
    /// A string of JSON as a value; `undefined` for anything else. The string is not copied into wasm memory.
    #[wasm_bindgen(js_name = parseJson)]
    pub fn parse_json(text: &JsValue) -> JsValue;
    /// A task as JavaScript sees it: `{id, capability, state, progress, outputs, raw}`.
    pub fn snapshot(
        id: &str,
        capability: Option<&str>,
        state: Option<&str>,
        progress: Option<f64>,
        raw: &JsValue,
    ) -> JsValue;

    /// A caller's input, read once. `InputView` walks its tokens.
    pub type Input;
    /// Reads a value. Never throws: a value that cannot be read has one token of the type `Other`.
    #[wasm_bindgen(constructor)]
    pub fn new(value: &JsValue) -> Input;
    /// A copy of the value, to be sent.
    #[wasm_bindgen(method, getter)]
    pub fn body(this: &Input) -> JsValue;
    /// Its tokens, separated by NUL.
    #[wasm_bindgen(method, getter)]
    pub fn text(this: &Input) -> String;
    /// For each token its number, or the size in bytes of its file; 0 for any other.
    #[wasm_bindgen(method, getter)]
    pub fn numbers(this: &Input) -> Vec<f64>;
    /// The files in it, in order.
    #[wasm_bindgen(method, getter)]
    pub fn files(this: &Input) -> Array<web_sys::Blob>;
    /// Replaces the file at an index of [`Input::files`] in the copy by the id of its upload.
    #[wasm_bindgen(method, js_name = replaceFile)]
    pub fn replace_file(this: &Input, index: u32, id: &JsValue);
    /// Replaces a member of the copy by a list of that one value.
    #[wasm_bindgen(method, js_name = wrapInList)]
    pub fn wrap_in_list(this: &Input, name: &str);

    /// One HTTP request and its response.
    pub type Exchange;
    /// An exchange of which nothing has been sent.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Exchange;
    /// Sends the request and reads the whole response. A stream of events, where `events` is true, is left open.
    /// `progress` is `null` where the body is not a file, and `undefined` for a file without a subscriber. `network` is
    /// the caller's function in the place of `fetch`, or `undefined`. Rejects with what `fetch` rejects with.
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
    /// The HTTP status; 0 where `network` returned something else than a response.
    #[wasm_bindgen(method, getter)]
    pub fn status(this: &Exchange) -> u16;
    /// The body, parsed as JSON; `undefined` where it is not JSON.
    #[wasm_bindgen(method, getter)]
    pub fn body(this: &Exchange) -> JsValue;
    /// Moves the open stream of events into an exchange of its own; `undefined` where there is none.
    #[wasm_bindgen(method, js_name = takeStream)]
    pub fn take_stream(this: &Exchange) -> JsValue;
    /// A header's value; `undefined` where it is absent or not exposed to the page.
    #[wasm_bindgen(method)]
    pub fn header(this: &Exchange, name: &str) -> JsValue;
    /// Seconds to wait, from `Retry-After`; `undefined` without one.
    #[wasm_bindgen(method, js_name = retryAfter)]
    pub fn retry_after(this: &Exchange) -> JsValue;
    /// The next text of a stream, which may be empty; `undefined` at its end. Rejects where the stream breaks.
    #[wasm_bindgen(method)]
    pub fn read(this: &Exchange) -> Promise;
    /// Aborts the exchange, if it is not complete.
    #[wasm_bindgen(method)]
    pub fn abort(this: &Exchange);

    /// Fires once, after a time or on an event, whichever is first.
    pub type Timer;
    /// Fires after `milliseconds`, or on `event` of `target`; `None` and `undefined` for none.
    #[wasm_bindgen(constructor)]
    pub fn new(milliseconds: Option<u32>, target: &JsValue, event: &str) -> Timer;
    /// Fulfilled when it fires.
    #[wasm_bindgen(method, getter)]
    pub fn fired(this: &Timer) -> Promise;
    /// Stops it. The promise is fulfilled all the same.
    #[wasm_bindgen(method)]
    pub fn stop(this: &Timer);

    /// 32 random hexadecimal digits. Throws where the platform has no secure random numbers.
    #[wasm_bindgen(catch, js_name = randomKey)]
    pub fn random_key() -> Result<String, JsValue>;
    /// The document where the page is hidden, as the target of `visibilitychange`; `undefined` where it is visible.
    #[wasm_bindgen(js_name = hiddenDocument)]
    pub fn hidden_document() -> JsValue;
    /// The global object where the platform is offline, as the target of `online`; `undefined` where it is online.
    #[wasm_bindgen(js_name = offlineGlobal)]
    pub fn offline_global() -> JsValue;
    /// Whether earlier requests to this URL are known to have used HTTP/2 or HTTP/3, which share a connection.
    pub fn multiplexed(base: &str) -> bool;
    /// The absolute URL of a string or a `URL`, resolved against the page.
    #[wasm_bindgen(js_name = absoluteUrl)]
    pub fn absolute_url(url: &JsValue) -> Option<String>;
    /// The value stored in `localStorage` under a name; `undefined` without one, and without storage.
    #[wasm_bindgen(js_name = storageGet)]
    pub fn storage_get(name: &str) -> JsValue;
    /// Stores a value in `localStorage` under a name, where there is storage.
    #[wasm_bindgen(js_name = storageSet)]
    pub fn storage_set(name: &str, value: &JsValue);
    /// A file of bytes. Throws for anything else.
    #[wasm_bindgen(catch, js_name = createFile)]
    pub fn create_file(bytes: &JsValue, name: &str, r#type: &str) -> Result<web_sys::Blob, JsValue>;
    /// A blob of everything in a stream. Aborting the signal cancels the stream's source.
    #[wasm_bindgen(js_name = readAll)]
    pub fn read_all(stream: &JsValue, signal: &JsValue) -> Promise;
}

#[wasm_bindgen]
extern "C" {
    /// The element at this index.
    #[wasm_bindgen(catch, js_namespace = Reflect, js_name = get)]
    pub fn at(target: &JsValue, index: u32) -> Result<JsValue, JsValue>;
    /// Sets a member of an object that the client made.
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
    /// A value as a string of JSON, which is not copied into wasm memory. Throws where there is none, as for a cycle.
    #[wasm_bindgen(catch, js_namespace = JSON)]
    pub fn stringify(value: &JsValue) -> Result<JsValue, JsValue>;
}

/// A string as a JavaScript value.
pub fn string(text: &str) -> JsValue {
    JsValue::from_str(text)
}

/// An object of string members: names and values.
pub fn object(members: &[(&str, &str)]) -> JsValue {
    let object: JsValue = Object::new().into();
    for (name, value) in members {
        set(&object, name, &string(value));
    }
    object
}
