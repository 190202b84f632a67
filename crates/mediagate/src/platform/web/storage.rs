//! Sessions in the browser's `localStorage`, which the tabs of an origin share.

use js_sys::global;
use wasm_bindgen::JsCast;
use web_sys::Storage;

use super::scope::member;
use crate::session::SessionStore;

/// Stores sessions where the browser allows it; elsewhere, such as in a worker, each client opens one of its own.
pub(super) struct InBrowser;

impl SessionStore for InBrowser {
    fn load(&self, name: &str) -> Option<String> {
        storage()?.get_item(name).ok()?
    }

    fn store(&self, name: &str, session: &str) {
        if let Some(storage) = storage() {
            // A full or forbidden storage leaves the session in memory.
            storage.set_item(name, session).ok();
        }
    }
}

fn storage() -> Option<Storage> {
    member(&global(), "localStorage").map(JsCast::unchecked_into)
}
