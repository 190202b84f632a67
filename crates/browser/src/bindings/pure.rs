//! Functions without a client.

use js_sys::Array;
use mediagate_core::text::concat;
use mediagate_core::{CAPABILITIES, PREFIX};
use wasm_bindgen::prelude::*;

use crate::engine::client::capability;
use crate::engine::error::{self, Error, issues_to_js};
use crate::engine::input::issues;
use crate::engine::response::{Expected, decode};
use crate::engine::transport::HttpResponse;
use crate::host;
use crate::value::Js;

/// Sets the class of errors, `MediagateError`. The package's entry calls it once, when the wasm is loaded.
#[wasm_bindgen(skip_typescript)]
pub fn install(class: JsValue) {
    error::set_class(class);
}

/// All issues of an input, `[{path, reason, message}]`; an empty list for a valid one.
///
/// # Errors
/// `invalid_argument` for an unknown capability.
#[wasm_bindgen(skip_typescript)]
pub fn validate(name: JsValue, input: JsValue) -> Result<Array, Error> {
    Ok(issues_to_js(&issues(capability(&name)?, &input)))
}

/// The paths of all capabilities. The entry derives group, medium, name and method from them.
#[wasm_bindgen(skip_typescript)]
pub fn capabilities() -> Array {
    CAPABILITIES.iter().map(|it| host::string(&concat(&[PREFIX, it.path]))).collect()
}

/// Decodes a response of the gateway, or of the upstream, that came by another transport: its HTTP status, and its body as
/// a string. With the name of a capability it is a task's snapshot, with `undefined` its `data`.
///
/// # Errors
/// Every error response by its code; `unreadable` for a body that is not in the envelope; `invalid_argument` for a status
/// that is not a number and for an unknown name.
#[wasm_bindgen(js_name = decodeEnvelope, skip_typescript)]
pub fn decode_envelope(status: JsValue, text: JsValue, name: JsValue) -> Result<JsValue, Error> {
    let expected = if name.is_undefined() { Expected::Data } else { Expected::Created(capability(&name)?) };
    let status = status.as_f64().ok_or_else(|| Error::argument("status is not a number; give the HTTP status"))?;
    let body = Some(Js(host::parse_json(&text))).filter(|it| text.is_string() && !it.0.is_undefined());
    decode(HttpResponse { status: status as u16, body, ..HttpResponse::default() }, expected)
}
