//! What a caller may upload, and the blob that it is or becomes. The bytes stay on the JavaScript side.

use js_sys::Array;
use mediagate_core::{Type, Value};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{AbortController, Blob};

use super::error::{Error, code};
use super::host;
use super::transport::Underway;
use crate::value::Js;

/// The blob of a source: a `Blob` itself; bytes and a `ReadableStream` become one, named and typed by the options. A
/// stream is read to its end first: storages want the size before the bytes.
///
/// # Errors
/// `invalid_argument` for anything else, and for an empty one; `upload_failed` for a stream that breaks.
pub async fn collect(source: &Js, options: &Js) -> Result<Blob, Error> {
    let blob = if source.kind() == Type::Blob {
        source.0.clone()
    } else if source.member("byteLength").as_f64().is_some() {
        named(&source.0, options)?
    } else if source.member("getReader").is_function() {
        let whole = read_to_end(&source.0).await.map_err(|cause| {
            Error::new(code::UPLOAD_FAILED, "the stream broke, or is read by somebody else; give a new one")
                .with("cause", cause)
        })?;
        named(&whole, options)?
    } else {
        return Err(Error::argument("upload takes a File, a Blob, bytes or a ReadableStream"));
    };
    Ok(blob.unchecked_into())
}

/// A file of one part.
fn named(part: &JsValue, options: &Js) -> Result<JsValue, Error> {
    let name = options.string("name").unwrap_or_default();
    let class = Js(js_sys::global().into()).member("File");
    let about = host::object(&[("type", &options.string("type").unwrap_or_default())]);
    host::construct(&class, &Array::of3(&Array::of1(part), &host::text(&name), &about))
        .map_err(|cause| Error::argument("the bytes cannot be read").with("cause", cause))
}

/// Everything in a stream. Given up, it tells the stream's source so, which a reader that just leaves does not.
async fn read_to_end(stream: &JsValue) -> Result<JsValue, JsValue> {
    let controller = AbortController::new()?;
    let options = host::object(&[]);
    host::set(&options, "signal", &controller.signal());
    let _underway = Underway(controller.into());
    let new = |class: &str, arguments: &Array| host::construct(&Js(js_sys::global().into()).member(class), arguments);
    let through = new("TransformStream", &Array::new())?;
    let piped = host::call(stream, "pipeThrough", &Array::of2(&through, &options))?;
    let answer = new("Response", &Array::of1(&piped))?;
    JsFuture::from(js_sys::Promise::resolve(&host::call(&answer, "blob", &Array::new())?)).await
}
