//! Work of the engine as a JavaScript promise.

use std::future::Future;

use js_sys::Promise;
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::future_to_promise;

use crate::engine::error::Error;
use crate::engine::limits::{Cancellable, Work};
use crate::value::Js;

/// A promise of the work's result, within the limits in the options: `{signal, timeout}`.
pub(super) fn promise(options: Js, work: impl Future<Output = Result<JsValue, Error>> + 'static) -> Promise {
    boxed(options, Box::pin(work))
}

fn boxed(options: Js, work: Work) -> Promise {
    future_to_promise(async move { Ok(Cancellable::new(&options, work)?.await?) })
}
