//! What a caller may upload, and the blob that it is or becomes. The bytes stay on the JavaScript side.

use mediagate_core::{Type, Value};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{AbortController, Blob};

use super::error::{Error, code};
use super::host;
use crate::value::Js;

/// The blob of a source: a `Blob` itself; bytes and a `ReadableStream` become one, named and typed by the options. A
/// stream is read to its end first: storages want the size before the bytes.
///
/// # Errors
/// `invalid_argument` for anything else, and for an empty one; `upload_failed` for a stream that breaks.
pub async fn collect(source: &Js, options: &Js) -> Result<Blob, Error> {
    if source.kind() == Type::Blob {
        Ok(source.0.clone().unchecked_into())
    } else if source.member("byteLength").as_f64().is_some() {
        named(&source.0, options)
    } else if source.member("getReader").is_function() {
        let whole = read_to_end(&source.0).await.map_err(|cause| {
            Error::new(code::UPLOAD_FAILED, "the stream broke, or is read by somebody else; give a new one")
                .with("cause", cause)
        })?;
        named(&whole, options)
    } else {
        Err(Error::argument("upload takes a File, a Blob, bytes or a ReadableStream"))
    }
}

/// A file of one part.
fn named(part: &JsValue, options: &Js) -> Result<Blob, Error> {
    let [name, kind] = ["name", "type"].map(|it| options.string(it).unwrap_or_default());
    host::file(part, &name, &kind).map_err(|cause| Error::argument("the bytes cannot be read").with("cause", cause))
}

/// Everything in a stream; given up, the stream is told so.
async fn read_to_end(stream: &JsValue) -> Result<JsValue, JsValue> {
    let controller = AbortController::new()?;
    let whole = host::drained(stream, &controller.signal());
    let _given_up = Aborting(controller);
    JsFuture::from(whole).await
}

/// Aborts when it is dropped.
struct Aborting(AbortController);

impl Drop for Aborting {
    fn drop(&mut self) {
        self.0.abort();
    }
}
