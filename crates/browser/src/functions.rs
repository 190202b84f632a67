//! The functions without a client: listing the capabilities, validating an input, and decoding a
//! response that came by another transport.

use alloc::string::String;
use alloc::vec::Vec;

use mediagate_client::{Error, HostValue, Kind, decode_data, decode_snapshot, issues_value};
use mediagate_core::{CAPABILITIES, Capability, find};
use wasm_bindgen::prelude::*;

use crate::error::to_js;
use crate::platform::Script;
use crate::value::Js;

pub(crate) fn capability(script: &Script, name: &str) -> Result<&'static Capability, JsValue> {
    let message = "no such capability; capabilities() lists their names";
    find(name).ok_or_else(|| to_js(script, &Error::new(Kind::InvalidArgument, message)))
}

/// Returns the names of all capabilities.
#[wasm_bindgen(unchecked_return_type = "CapabilityName[]")]
pub fn capabilities() -> JsValue {
    let names = CAPABILITIES.iter().map(|capability| capability.name());
    Js::from_items(names.map(Js::from_text).collect()).0
}

/// Returns all issues of an input, `[{path, reason, message, severity}]`. The input is valid if
/// none of them is an error.
#[wasm_bindgen(unchecked_return_type = "Issue[]")]
pub fn validate(
    platform: &Script,
    #[wasm_bindgen(unchecked_param_type = "CapabilityName")] name: &str,
    #[wasm_bindgen(unchecked_param_type = "unknown")] input: JsValue,
) -> Result<JsValue, JsValue> {
    let capability = capability(platform, name)?;
    let issues: Vec<_> = mediagate_core::validate(capability, Js(input));
    Ok(issues_value::<Js>(&issues).0)
}

// The result depends on the name.
#[wasm_bindgen(typescript_custom_section)]
const FUNCTIONS: &str = r#"
import type { Issue } from "../types/issues.js";

/**
 * Decodes a response of the gateway or the media service that came by another transport, from its
 * HTTP status and its parsed body. Returns the snapshot of a task of the capability.
 */
export function decodeEnvelope(
  platform: Platform,
  status: number,
  body: unknown,
  name: CapabilityName,
): TaskSnapshot;
/** Decodes a response that has no task. Returns its `data`. */
export function decodeEnvelope(
  platform: Platform,
  status: number,
  body: unknown,
  name?: undefined,
): unknown;
"#;

/// Decodes a response of the gateway or the media service that came by another transport, from its
/// HTTP status and its parsed body. With the name of a capability, returns the snapshot of a task.
/// Without one, returns `data`.
#[wasm_bindgen(js_name = decodeEnvelope, skip_typescript)]
pub fn decode_envelope(
    platform: &Script,
    status: u16,
    body: JsValue,
    name: Option<String>,
) -> Result<JsValue, JsValue> {
    // `undefined` stands for a body that is not JSON.
    let body = (!body.is_undefined()).then_some(Js(body));
    let decoded = match name {
        Some(name) => {
            let capability = capability(platform, &name)?;
            let snapshot = decode_snapshot::<Script>(status, body, capability);
            snapshot.map(|snapshot| platform.show(&snapshot))
        }
        None => decode_data::<Script>(status, body).map(|data| data.0),
    };
    decoded.map_err(|error| to_js(platform, &error))
}
