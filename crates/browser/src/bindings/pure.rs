//! Functions without a client.

use js_sys::{Array, Object};
use mediagate_core::{CAPABILITIES, Capability, Expects, PREFIX};
use wasm_bindgen::prelude::*;

use crate::engine::answer::{Success, success};
use crate::engine::client::capability;
use crate::engine::error::{self, Error, issues_to_js};
use crate::engine::host;
use crate::engine::http::Reply;
use crate::engine::snapshot::Snapshot;
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
    Ok(issues_to_js(&mediagate_core::validate(capability(&name)?, &Js(input))))
}

/// All capabilities: `[{name, method, group, medium, path}]`.
#[wasm_bindgen(skip_typescript)]
pub fn capabilities() -> Array {
    CAPABILITIES.iter().map(|it| described(it)).collect()
}

fn described(capability: &Capability) -> Object {
    let object = Object::new();
    for (name, value) in [
        ("name", capability.name()),
        ("method", &camel(capability.name())),
        ("group", capability.group().name()),
        ("medium", capability.medium()),
        ("path", &[PREFIX, capability.path].concat()),
    ] {
        host::set(&object, name, &host::text(value));
    }
    object
}

/// `image_to_video` as JavaScript names methods: `imageToVideo`.
fn camel(name: &str) -> String {
    let mut after = false;
    let letters = name.chars().filter_map(|it| {
        let upper = std::mem::replace(&mut after, it == '_');
        (it != '_').then(|| if upper { it.to_ascii_uppercase() } else { it })
    });
    letters.collect()
}

/// Reads an answer of the gateway, or of the service, that came by another transport: `{task}` or `{result}`.
///
/// # Errors
/// What the answer refuses, by its code; `unreadable` for what is no answer at all.
#[wasm_bindgen(js_name = decodeEnvelope, skip_typescript)]
pub fn decode_envelope(status: JsValue, text: JsValue, name: JsValue) -> Result<JsValue, Error> {
    let capability = if name.is_undefined() { None } else { Some(capability(&name)?) };
    let status = status.as_f64().ok_or_else(|| Error::argument("status is no number; give the HTTP status"))? as u16;
    let expects = match capability {
        Some(it) if !it.may_answer_without_task => Expects::Task,
        _ => Expects::TaskOrResult,
    };
    let body = if text.is_string() { host::parse(&text).ok().map(Js) } else { None };
    let answer = success(Reply { status, body, retry_after_ms: None, request_id: None }, expects)?;
    let decoded = Object::new();
    let (name, value) = match answer {
        Success::Task(task) => {
            ("task", Snapshot::of(&task.id.clone(), capability.map_or("", Capability::name), task).object)
        }
        Success::Result(data) => ("result", data.0),
    };
    host::set(&decoded, name, &value);
    Ok(decoded.into())
}
