//! Streams whose readable end is a body, and whose writable end is written meanwhile.

use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{ReadableStream, WritableStream};

#[wasm_bindgen]
extern "C" {
    /// A stream of exactly `length` bytes, which gives the message a `Content-Length`.
    type FixedLengthStream;
    #[wasm_bindgen(constructor, catch)]
    fn new(length: f64) -> Result<FixedLengthStream, JsValue>;
    type IdentityTransformStream;
    #[wasm_bindgen(constructor, catch)]
    fn new() -> Result<IdentityTransformStream, JsValue>;

    /// A stream of either type. A write completes when the reader has taken its bytes.
    pub type BodyStream;
    #[wasm_bindgen(method, getter)]
    pub fn readable(this: &BodyStream) -> ReadableStream;
    #[wasm_bindgen(method, getter)]
    pub fn writable(this: &BodyStream) -> WritableStream;
}

/// Makes a stream for a body of `length` bytes. `None` is an unknown length, which makes the
/// message chunked.
pub fn body_stream(length: Option<u64>) -> Result<BodyStream, JsValue> {
    Ok(match length {
        Some(length) => FixedLengthStream::new(length as f64)?.unchecked_into(),
        None => IdentityTransformStream::new()?.unchecked_into(),
    })
}
