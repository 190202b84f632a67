//! The functions of the scripts. The methods of `mediagate_client::Platform` say what the operations do.
//!
//! The package has the scripts beside the glue, which imports them. None of the functions throws, whatever values a caller
//! passes, and none calls back into the wasm before it returns. Values are handles, 0 for none.

use alloc::string::String;

use wasm_bindgen::prelude::*;

/// The handle of a value, as in `value::Js`. Signed, as all ids: wasm-bindgen would convert an unsigned number at each call.
type Handle = i32;

#[wasm_bindgen(raw_module = "./driver.js")]
extern "C" {
    /// An id that no other has.
    #[wasm_bindgen(js_name = newId)]
    pub fn new_id() -> i32;
    /// Waits for a time, or until an event of the page, such as `online`; an empty name for none.
    pub fn sleep(id: i32, milliseconds: i32, event: &str);
    /// Calls a function of the caller's.
    pub fn invoke(id: i32, function: Handle);
    /// Aborts what runs under an id.
    pub fn abort(id: i32);
    /// The most retries that the caller of a promise allows; -1 for the default.
    pub fn retries(promise: i32) -> i32;
    /// Notifies the caller of a promise of a retry.
    #[wasm_bindgen(js_name = notifyRetry)]
    pub fn notify_retry(promise: i32, failures: i32, milliseconds: i32, error: Handle);
    /// Fulfils a promise with a value.
    pub fn resolve(promise: i32, value: Handle);
    /// Fulfils a promise with the id of something that the engine keeps.
    #[wasm_bindgen(js_name = resolveHandle)]
    pub fn resolve_handle(promise: i32, kept: i32);
    /// Rejects a promise with the members of an error; 0 for the function that was called at once, which throws then.
    pub fn reject(promise: i32, error: Handle);
}

#[wasm_bindgen(raw_module = "./network.js")]
extern "C" {
    /// Sends a request. `body` is a file where `upload` says how it is sent, and is sent as JSON otherwise.
    pub fn request(
        id: i32,
        method: &str,
        url: Handle,
        headers: Handle,
        authorization: Handle,
        body: Handle,
        upload: Handle,
        progress: Handle,
        network: Handle,
        capability: &str,
        events: bool,
        patience: i32,
    );
    /// Finds out what keeps the page from a URL.
    pub fn diagnose(
        id: i32,
        url: Handle,
        headers: Handle,
        authorization: Handle,
        network: Handle,
        capability: &str,
    );
    /// Reads on in the stream of a request.
    pub fn read(id: i32);
}

#[wasm_bindgen(raw_module = "./values.js")]
extern "C" {
    /// Marks a value as one that the engine refers to.
    pub fn mark(value: Handle);
    /// The type of a value, as an index into `value::KINDS`.
    pub fn kind(value: Handle) -> i32;
    /// The string; `None` for anything else.
    pub fn text(value: Handle) -> Option<String>;
    /// Whether it is this string.
    pub fn is(value: Handle, text: &str) -> bool;
    /// The number; NaN for anything else.
    pub fn number(value: Handle) -> f64;
    /// The member of an object; 0 where it is absent, where its getter throws, and for a target that is no object.
    pub fn member(target: Handle, name: &str) -> Handle;
    /// The number of items of a list; 0 for anything else.
    pub fn length(list: Handle) -> i32;
    /// The item of a list; 0 where there is none.
    pub fn item(list: Handle, index: i32) -> Handle;
    /// The names of an object's own members; 0 for anything else.
    pub fn names(object: Handle) -> Handle;
    /// A string that is not blank, or the digits of a number; 0 for anything else.
    pub fn identifier(value: Handle) -> Handle;
    /// The members of an error; 0 for no status.
    pub fn error(code: &str, message: &str, status: u16, retryable: bool) -> Handle;
    /// A string as a value.
    #[wasm_bindgen(js_name = fromText)]
    pub fn from_text(text: &str) -> Handle;
    /// A number as a value.
    #[wasm_bindgen(js_name = fromNumber)]
    pub fn from_number(number: f64) -> Handle;
    /// A string with another one at its end.
    pub fn append(text: Handle, more: &str) -> Handle;
    /// A string with a value at its end.
    #[wasm_bindgen(js_name = appendValue)]
    pub fn append_value(text: Handle, more: Handle) -> Handle;
    /// A string with another one at its end, encoded as a part of a path.
    #[wasm_bindgen(js_name = appendSegment)]
    pub fn append_segment(text: Handle, segment: Handle) -> Handle;
    /// Whether a string begins with another one.
    #[wasm_bindgen(js_name = startsWith)]
    pub fn starts_with(text: Handle, start: Handle) -> bool;
    /// An empty list.
    pub fn list() -> Handle;
    /// A copy of a list with one more item.
    #[wasm_bindgen(js_name = withItem)]
    pub fn with_item(list: Handle, item: Handle) -> Handle;
    /// A copy of an object with a member, unless that is 0.
    #[wasm_bindgen(js_name = withMember)]
    pub fn with_member(object: Handle, name: &str, value: Handle) -> Handle;
    /// A copy of an object without one of its members.
    pub fn omit(object: Handle, name: &str) -> Handle;
    /// Sets an item of a list that the client made.
    #[wasm_bindgen(js_name = setItem)]
    pub fn set_item(list: Handle, index: i32, value: Handle);
    /// Whether two values are the same string or number, the same object or the same function.
    #[wasm_bindgen(js_name = isIdentical)]
    pub fn is_identical(one: Handle, other: Handle) -> bool;
    /// Whether two values are the same JSON.
    #[wasm_bindgen(js_name = isSame)]
    pub fn is_same(one: Handle, other: Handle) -> bool;
    /// A task as JavaScript sees it: `{id, capability, state, progress, outputs, raw}`; NaN for no progress.
    pub fn snapshot(
        id: Handle,
        capability: &str,
        state: Handle,
        progress: f64,
        raw: Handle,
    ) -> Handle;
    /// What an upload URL for a file is requested with.
    #[wasm_bindgen(js_name = fileInfo)]
    pub fn file_info(file: Handle) -> Handle;
}

#[wasm_bindgen(raw_module = "./page.js")]
extern "C" {
    /// Milliseconds since 1970.
    pub fn now() -> f64;
    /// A random number from 0 to 1.
    pub fn random() -> f64;
    /// Whether the platform reports that it is offline.
    #[wasm_bindgen(js_name = isOffline)]
    pub fn is_offline() -> bool;
    /// Whether the page is hidden.
    #[wasm_bindgen(js_name = isHidden)]
    pub fn is_hidden() -> bool;
    /// Whether earlier requests to this URL are known to have used HTTP/2 or HTTP/3, which share a connection.
    #[wasm_bindgen(js_name = isMultiplexed)]
    pub fn is_multiplexed(base: Handle) -> bool;
    /// The value stored in `localStorage` under a name; 0 without one.
    pub fn stored(name: Handle) -> Handle;
    /// Stores a value in `localStorage` under a name, where there is storage.
    pub fn store(name: Handle, value: Handle);
    /// The id that a file has at a gateway; 0 for none.
    #[wasm_bindgen(js_name = fileId)]
    pub fn file_id(gateway: i32, file: Handle) -> Handle;
    /// Remembers the id of a file at a gateway.
    #[wasm_bindgen(js_name = rememberFile)]
    pub fn remember_file(gateway: i32, file: Handle, id: Handle);
    /// Notifies a subscriber that all bytes of a file are uploaded.
    #[wasm_bindgen(js_name = notifyDone)]
    pub fn notify_done(progress: Handle, file: Handle);
}
