//! The promises of calls.

use js_sys::Promise;
use mediagate_client::BoxFuture;
use mediagate_client::Error;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::future_to_promise;

use crate::error::to_js;
use crate::platform::Script;

#[wasm_bindgen]
extern "C" {
    /// A promise of a task.
    #[wasm_bindgen(typescript_type = "Promise<Task>")]
    pub type PromisedTask;
    /// A promise of a string.
    #[wasm_bindgen(typescript_type = "Promise<string>")]
    pub type PromisedText;
    /// A promise without a value.
    #[wasm_bindgen(typescript_type = "Promise<void>")]
    pub type PromisedEnd;
    /// A promise of data of the gateway.
    #[wasm_bindgen(typescript_type = "Promise<unknown>")]
    pub type PromisedData;
}

/// Makes a promise of a call. The future is boxed, so that the wasm contains the code of a promise
/// once.
pub(crate) fn promise(
    script: &Script,
    call: BoxFuture<'static, Result<JsValue, Error<Script>>>,
) -> Promise {
    let script = script.clone();
    future_to_promise(async move { call.await.map_err(|error| to_js(&script, &error)) })
}
