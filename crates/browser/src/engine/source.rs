//! The sources that a caller may upload, each as a blob. The bytes stay on the JavaScript side.

use mediagate_core::{Type, Value};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{AbortController, Blob};

use super::error::{Error, code};
use crate::host;
use crate::value::Js;

/// The blob of a source. A `Blob` is returned as it is; bytes (an `ArrayBuffer` or a view of one) and a `ReadableStream`
/// become a file, with `name` and `type` of the options. A stream is read to its end first, since a storage needs the
/// size before the bytes.
///
/// # Errors
/// `invalid_argument` for any other value; `upload_failed` for a stream that breaks or is locked.
pub async fn to_blob(source: &Js, options: &Js) -> Result<Blob, Error> {
    if source.kind() == Type::Blob {
        Ok(source.0.clone().unchecked_into())
    } else if source.member("byteLength").as_f64().is_some() {
        named_file(&source.0, options)
    } else if source.member("getReader").is_function() {
        let whole = read_to_end(&source.0).await.map_err(|cause| {
            Error::new(code::UPLOAD_FAILED, "the stream broke, or is locked by another reader; give a new one")
                .with("cause", cause)
        })?;
        named_file(&whole, options)
    } else {
        Err(Error::argument("upload takes a File, a Blob, bytes or a ReadableStream"))
    }
}

/// A file of one part, with `name` and `type` of the options.
fn named_file(part: &JsValue, options: &Js) -> Result<Blob, Error> {
    let [name, kind] = ["name", "type"].map(|it| options.string(it).unwrap_or_default());
    host::create_file(part, &name, &kind)
        .map_err(|cause| Error::argument("the bytes cannot be read").with("cause", cause))
}

/// A blob of everything in a stream. Dropping the future cancels the stream.
async fn read_to_end(stream: &JsValue) -> Result<JsValue, JsValue> {
    let controller = AbortController::new()?;
    let whole = host::read_all(stream, &controller.signal());
    let _abort = AbortOnDrop(controller);
    JsFuture::from(whole).await
}

/// Aborts its controller when it is dropped.
struct AbortOnDrop(AbortController);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}
