//! What JavaScript sees: each export decodes, calls and encodes. The types of the package stand beside them.
//!
//! Arguments arrive as bare values, so that a wrong one is an error of ours and not the glue's. Exports take `&self`
//! and share what they need: concurrent calls are the normal case.

mod media;
mod pure;
mod task;
mod types;

use std::future::Future;

use js_sys::Promise;
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::future_to_promise;

use crate::engine::error::Error;
use crate::engine::limits::{Held, Work};
use crate::value::Js;

pub use media::{Media, connect};
pub use pure::{capabilities, decode_envelope, install, validate};
pub use task::Task;

/// A promise of what the work gives within the limits in the options.
fn promise(options: Js, work: impl Future<Output = Result<JsValue, Error>> + 'static) -> Promise {
    boxed(options, Box::pin(work))
}

fn boxed(options: Js, work: Work) -> Promise {
    future_to_promise(async move { Ok(Held::new(&options, work)?.await?) })
}
