//! What JavaScript sees: each export decodes, calls and encodes. The types of the package stand beside them.
//!
//! Arguments arrive as bare values, so that a wrong one is an error of ours and not the glue's. Exports take `&self`
//! and share what they need: concurrent calls are the normal case.

mod media;
mod pure;
mod task;
mod types;

use std::future::Future;
use std::pin::Pin;

use js_sys::Promise;
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::future_to_promise;

use crate::engine::error::Error;

pub use media::{Media, connect};
pub use pure::{capabilities, decode_envelope, install, validate};
pub use task::Task;

/// A promise of what the work gives. Boxed: exports that are `async` themselves would each bring a copy of the machinery
/// behind them, together a third of what a page downloads.
fn promise(work: impl Future<Output = Result<JsValue, Error>> + 'static) -> Promise {
    let work: Pin<Box<dyn Future<Output = Result<JsValue, Error>>>> = Box::pin(work);
    future_to_promise(Settled(work))
}

/// The work with its error as JavaScript sees it.
struct Settled(Pin<Box<dyn Future<Output = Result<JsValue, Error>>>>);

impl Future for Settled {
    type Output = Result<JsValue, JsValue>;

    fn poll(mut self: Pin<&mut Self>, context: &mut std::task::Context<'_>) -> std::task::Poll<Self::Output> {
        self.0.as_mut().poll(context).map_err(JsValue::from)
    }
}
