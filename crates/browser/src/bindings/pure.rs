//! Functions without a client.

use js_sys::Array;
use mediagate_core::text::concat;
use mediagate_core::{CAPABILITIES, PREFIX};
use wasm_bindgen::prelude::*;

use crate::engine::client::capability;
use crate::engine::error::{self, Error, issues_to_js};
use crate::engine::gateway::{Wants, decode};
use crate::engine::host;
use crate::engine::input::issues;
use crate::engine::transport::Reply;
use crate::value::Js;

/// Sets the class of errors. The package's entry does it once, when the wasm is loaded.
#[wasm_bindgen(skip_typescript)]
pub fn install(class: JsValue) {
    error::set_class(class);
}

/// Everything that is wrong with an input; an empty list for a valid one.
///
/// # Errors
/// `invalid_argument` for an unknown capability.
#[wasm_bindgen(skip_typescript)]
pub fn validate(name: JsValue, input: JsValue) -> Result<Array, Error> {
    Ok(issues_to_js(&issues(capability(&name)?, &input)))
}

/// The paths of all capabilities; the entry reads group, medium, name and method out of them.
#[wasm_bindgen(skip_typescript)]
pub fn capabilities() -> Array {
    CAPABILITIES.iter().map(|it| host::text(&concat(&[PREFIX, it.path]))).collect()
}

/// Reads an answer of the gateway, or of the service, that came by another transport: a task's snapshot.
///
/// # Errors
/// What the answer refuses, by its code; `unreadable` for what is no answer at all.
#[wasm_bindgen(js_name = decodeEnvelope, skip_typescript)]
pub fn decode_envelope(status: JsValue, text: JsValue, name: JsValue) -> Result<JsValue, Error> {
    let wants = if name.is_undefined() { Wants::Data } else { Wants::Task(capability(&name)?) };
    let status = status.as_f64().ok_or_else(|| Error::argument("status is no number; give the HTTP status"))?;
    let body = Some(Js(host::parsed(&text))).filter(|it| text.is_string() && !it.0.is_undefined());
    decode(Reply { status: status as u16, body, ..Reply::default() }, wants)
}
