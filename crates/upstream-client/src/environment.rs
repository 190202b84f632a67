use std::cell::Cell;

use js_sys::{JSON, Reflect};
use mediagate_settings::{BINDING, BOUND, Settings, SettingsError, TABLES, UPLOADS_BINDING};
use wasm_bindgen::JsValue;
use worker::Env;

/// Reads the Worker's variables and secrets. The error is the first setting that is missing or
/// wrong.
pub(crate) fn settings_of(env: &Env) -> Result<Settings, SettingsError> {
    let not_text = Cell::new(None);
    let settings = Settings::read(|name| {
        let value = Reflect::get(env, &name.into()).unwrap_or_default();
        match name {
            BINDING => return text_of_binding(&value, "fetch"),
            UPLOADS_BINDING => return text_of_binding(&value, "put"),
            _ => {}
        }
        // A table of `wrangler.toml` arrives as an object.
        if TABLES.contains(&name) && value.is_object() {
            return JSON::stringify(&value).ok()?.as_string();
        }
        // The operator meant such a binding as the setting, so it is refused and not ignored.
        if !value.is_undefined() && !value.is_string() {
            not_text.set(Some(name));
        }
        value.as_string()
    });
    match not_text.get() {
        Some(setting) => Err(SettingsError {
            setting,
            problem: "is not text; put its value in quotes".to_owned(),
        }),
        None => settings,
    }
}

/// Returns the text of a setting that is a binding with this method.
fn text_of_binding(value: &JsValue, method: &str) -> Option<String> {
    if value.is_undefined() {
        return None;
    }
    let found = Reflect::get(value, &method.into()).unwrap_or_default();
    // A text is refused, also the one that stands for a binding.
    Some(if found.is_function() { BOUND } else { "text" }.to_owned())
}
