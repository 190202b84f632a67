//! What a response means: the value that its call expects, or an error.

use mediagate_core::response::{Response, decode as decode_response};
use mediagate_core::{Capability, Expects};
use wasm_bindgen::JsValue;

use super::error::{Error, code};
use super::snapshot;
use super::transport::{AbortOnDrop, HttpResponse};
use crate::host;

/// What a call expects of its response, and so what [`decode`] returns for it.
#[derive(Clone, Copy)]
pub enum Expected {
    /// `data`, as it came.
    Data,
    /// Success of a `PUT`, without a body: `undefined`.
    Stored,
    /// The snapshot of a created task; of one that is already done, where the capability may respond without a task.
    Created(&'static Capability),
    /// The snapshot of a task.
    Status(&'static Capability),
    /// An open stream of events, as a [`host::Exchange`]. Such a call is never repeated: the task is polled instead.
    Events,
}

/// Decodes a response.
///
/// # Errors
/// Every error response by its code; `unreadable` for a response that is not the gateway's; `upload_failed` for one of a
/// storage.
pub fn decode(mut response: HttpResponse, expected: Expected) -> Result<JsValue, Error> {
    if let (Expected::Events, Some(AbortOnDrop(exchange))) = (expected, &response.exchange) {
        let stream = exchange.take_stream();
        if !stream.is_undefined() {
            return Ok(stream);
        }
    }
    let (expects, capability) = match expected {
        Expected::Stored if (200..300).contains(&response.status) => return Ok(JsValue::UNDEFINED),
        Expected::Data | Expected::Stored | Expected::Events => (Expects::Data, None),
        Expected::Created(it) if it.may_omit_task => (Expects::TaskOrResult, Some(it)),
        Expected::Created(it) | Expected::Status(it) => (Expects::Task, Some(it)),
    };
    let error = match decode_response(response.status, response.body.take(), expects) {
        Response::Task(task) => return Ok(snapshot::of(capability, task)),
        Response::Result(_) if matches!(expected, Expected::Events) => unreadable(response.status, "no_stream"),
        Response::Result(data) => return Ok(capability.map_or(data.0.clone(), |it| snapshot::finished(it, &data))),
        Response::Error(envelope) => Error::from_envelope(response.status, &envelope),
        // The gateway's upload relay responds in its envelope; a storage does not.
        Response::Unreadable(_) if matches!(expected, Expected::Stored) => Error::from_status(
            code::UPLOAD_FAILED,
            "the storage refused the upload; the browser's network log has its response",
            response.status,
        ),
        Response::Unreadable(reason) => unreadable(response.status, reason),
    };
    Err(response.add_headers(error))
}

/// The error of a response that is not the gateway's, with a reason such as `not_json`.
pub fn unreadable(status: u16, reason: &str) -> Error {
    let message = "the response is not a Mediagate gateway's; check the url, and any proxy";
    Error::from_status(code::UNREADABLE, message, status).with("reason", host::string(reason))
}
