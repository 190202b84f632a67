//! JavaScript values as the JSON-like values that the core walks.

use std::borrow::Cow;

use mediagate_core::{Type, Value};
use wasm_bindgen::{JsCast, JsValue};

use crate::engine::host;

/// Longest list that is walked; a hostile array may claim four thousand million elements.
const LONGEST_LIST: u32 = 100_000;

/// A JavaScript value, looked into in place.
///
/// Nothing that a value does can harm the walker: a getter that throws, a revoked proxy and a member that is
/// `undefined` all read as absent, functions, symbols and big integers as [`Type::Other`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Js(pub JsValue);

impl Js {
    /// The member's value, `undefined` where there is none.
    pub fn member(&self, name: &str) -> JsValue {
        // To ask what has no members throws, and an exception costs more than all else that a call does.
        if self.0.is_object() { host::get(&self.0, name).unwrap_or(JsValue::UNDEFINED) } else { JsValue::UNDEFINED }
    }

    /// The member's text, where it is a string.
    pub fn string(&self, name: &str) -> Option<String> {
        self.member(name).as_string()
    }

    fn is_array(&self) -> bool {
        host::is_array(&self.0).unwrap_or(false)
    }

    fn length(&self) -> u32 {
        self.member("length").as_f64().map_or(0, |it| it as u32)
    }
}

impl Value for Js {
    fn kind(&self) -> Type {
        let value = &self.0;
        // The likeliest first: each of these asks JavaScript.
        if value.is_string() {
            Type::Text
        } else if value.as_f64().is_some() {
            Type::Number
        } else if !value.is_object() {
            match value.as_bool() {
                Some(_) => Type::Boolean,
                None if value.is_null() || value.is_undefined() => Type::Null,
                None => Type::Other,
            }
        } else if self.is_array() {
            if self.length() > LONGEST_LIST { Type::Other } else { Type::List }
        } else if value.has_type::<web_sys::Blob>() {
            Type::Blob
        } else {
            Type::Object
        }
    }

    fn text(&self) -> Option<Cow<'_, str>> {
        self.0.as_string().map(Cow::Owned)
    }

    fn number(&self) -> Option<f64> {
        self.0.as_f64().filter(|it| it.is_finite())
    }

    fn digits(&self) -> Option<String> {
        self.number()?;
        host::stringify(&self.0).ok()?.as_string()
    }

    fn get(&self, name: &str) -> Option<Self> {
        let member = self.member(name);
        (!member.is_undefined()).then_some(Js(member))
    }

    fn items(&self) -> Vec<Self> {
        let length = if self.is_array() { self.length() } else { 0 };
        let length = if length > LONGEST_LIST { 0 } else { length };
        (0..length).map(|it| Js(host::at(&self.0, it).unwrap_or(JsValue::UNDEFINED))).collect()
    }

    fn keys(&self) -> Vec<String> {
        if !self.0.is_object() {
            return Vec::new();
        }
        let Ok(names) = host::keys(&self.0) else { return Vec::new() };
        names.iter().filter_map(|it| it.as_string()).collect()
    }
}
