use alloc::boxed::Box;

use js_sys::{Function, Promise};
use mediagate_client::{BoxFuture, Error};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, future_to_promise};

use crate::error::to_js;
use crate::platform::Script;
use crate::value::Js;

#[wasm_bindgen]
extern "C" {
    /// A promise of a task.
    #[wasm_bindgen(typescript_type = "Promise<Task>")]
    pub type PromisedTask;
    /// A promise of a pipeline.
    #[wasm_bindgen(typescript_type = "Promise<Pipeline>")]
    pub type PromisedPipeline;
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

pub(crate) fn promise<T: 'static, Promised: JsCast>(
    script: &Script,
    call: BoxFuture<'static, Result<T, Error<Script>>>,
    show: fn(&Script, T) -> JsValue,
) -> Promised {
    let script = script.clone();
    let call = async move {
        match call.await {
            Ok(result) => Ok(show(&script, result)),
            Err(error) => Err(to_js(&script, &error)),
        }
    };
    boxed(Box::pin(call)).unchecked_into()
}

/// Makes a promise of a boxed future, so that the wasm contains the code of a promise once.
fn boxed(call: BoxFuture<'static, Result<JsValue, JsValue>>) -> Promise {
    future_to_promise(call)
}

/// Calls a function at once. The future resolves to its result, or to the value of the promise that
/// it returned.
pub(crate) fn returned_by(
    function: &Function,
    argument: &JsValue,
) -> BoxFuture<'static, Result<Js, JsValue>> {
    let returned = function.call1(&JsValue::UNDEFINED, argument);
    let value = returned.map(|returned| JsFuture::from(Promise::resolve(&returned)));
    Box::pin(async move { value?.await.map(Js) })
}
