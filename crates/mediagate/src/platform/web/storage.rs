//! Sessions in the `localStorage` of the browser, which the tabs of an origin share.

use js_sys::global;
use wasm_bindgen::JsCast;
use web_sys::Storage;

use super::scope::member;
use crate::session::SessionStore;

/// Stores sessions if the browser allows it. Otherwise, such as in a worker, each client opens its
/// own session.
pub(super) struct InBrowser;

impl SessionStore for InBrowser {
    fn load(&self, name: &str) -> Option<String> {
        storage()?.get_item(name).ok()?
    }

    fn store(&self, name: &str, session: &str) {
        if let Some(storage) = storage() {
            // The client still has the session in memory if the storage is full or forbidden.
            storage.set_item(name, session).ok();
        }
    }
}

fn storage() -> Option<Storage> {
    member(&global(), "localStorage").map(JsCast::unchecked_into)
}
