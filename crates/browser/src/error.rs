use alloc::vec::Vec;

use js_sys::Object;
use mediagate_client::{Error, HostValue};
use wasm_bindgen::prelude::*;

use crate::platform::Script;
use crate::value::Js;

/// Makes an `Error` with the name `MediagateError` and the members of the package's class.
pub(crate) fn to_js(script: &Script, error: &Error<Script>) -> JsValue {
    let made = js_sys::Error::new(&error.message);
    made.set_name("MediagateError");
    Object::assign(
        made.unchecked_ref::<Object>(),
        members(script, error).0.unchecked_ref::<Object>(),
    )
    .into()
}

fn members(script: &Script, error: &Error<Script>) -> Js {
    let text = |text: &str| Js::from_text(text);
    let mut members = Vec::from([
        ("code", text(error.kind.name())),
        ("retryable", Js(error.is_retryable.into())),
        (
            "issues",
            match &error.issues {
                Some(issues) => issues.clone(),
                None => Js::from_items(Vec::new()),
            },
        ),
    ]);
    let mut add = |name: &'static str, value: Option<Js>| {
        members.extend(value.map(|value| (name, value)));
    };
    add("hint", error.hint_text().map(|hint| text(&hint)));
    add(
        "status",
        error.status.map(|status| Js::from_number(status.into())),
    );
    add("outcome", error.outcome.map(|outcome| text(outcome.name())));
    add("idempotencyKey", error.idempotency_key.as_deref().map(text));
    add("reason", error.reason.clone());
    add("requestId", error.request_id.as_deref().map(text));
    add("retryAfter", error.retry_after.map(Js::from_number));
    add(
        "appCode",
        error.app_code.map(|code| Js::from_number(code.into())),
    );
    add("details", error.details.clone());
    add("step", error.step.as_deref().map(text));
    add("cause", error.cause.clone().map(Js));
    if let Some(snapshot) = &error.snapshot {
        let name = if snapshot.capability.is_some() {
            "task"
        } else {
            "pipeline"
        };
        add(name, Some(Js(script.show(snapshot))));
    }
    Js::from_members(members)
}
