//! Where an anonymous token outlives a reload and is shared by tabs: without it, paid results would lose their owner.

use js_sys::{Array, Function};
use mediagate_core::Value;
use wasm_bindgen::{JsCast, JsValue};

use super::host;
use crate::value::Js;

/// A token and when to renew it, in milliseconds since 1970.
pub struct Saved {
    /// The token.
    pub token: String,
    /// When to renew it.
    pub renew_at: f64,
}

/// What is stored for the gateway at this URL. `None` also where there is no storage: workers, Node, a sandboxed frame.
pub fn load(base: &str) -> Option<Saved> {
    let text = with_storage("getItem", &Array::of1(&key(base)))?;
    let saved = Js(host::parse(&text).ok()?);
    Some(Saved { token: saved.string("token")?, renew_at: saved.get("renewAt")?.number()? })
}

/// Stores it, where there is a storage with room.
pub fn save(base: &str, saved: &Saved) {
    let object = js_sys::Object::new();
    host::set(&object, "token", &host::text(&saved.token));
    host::set(&object, "renewAt", &saved.renew_at.into());
    if let Ok(text) = host::stringify(&object) {
        with_storage("setItem", &Array::of2(&key(base), &text));
    }
}

fn key(base: &str) -> JsValue {
    host::text(&["mediagate:", base].concat())
}

/// Calls a method of `localStorage`, whose very mention may throw.
fn with_storage(method: &str, arguments: &Array) -> Option<JsValue> {
    let storage = host::get(&js_sys::global(), "localStorage").ok()?;
    let method: Function = host::get(&storage, method).ok()?.dyn_into().ok()?;
    method.apply(&storage, arguments).ok()
}
