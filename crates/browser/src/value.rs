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
#[derive(Clone, Debug, PartialEq)]
pub struct Js(pub JsValue);

impl Js {
    /// The member's value, `undefined` where there is none.
    pub fn member(&self, name: &str) -> JsValue {
        host::get(&self.0, name).unwrap_or(JsValue::UNDEFINED)
    }

    /// The member's text, where it is a string.
    pub fn string(&self, name: &str) -> Option<String> {
        self.member(name).as_string()
    }

    fn length(&self) -> u32 {
        self.member("length").as_f64().map_or(0, |it| it as u32)
    }
}

impl Value for Js {
    fn kind(&self) -> Type {
        let value = &self.0;
        if value.is_null() || value.is_undefined() {
            Type::Null
        } else if value.as_bool().is_some() {
            Type::Boolean
        } else if value.as_f64().is_some() {
            Type::Number
        } else if value.is_string() {
            Type::Text
        } else if !value.is_object() {
            Type::Other
        } else if host::is_array(value).unwrap_or(false) {
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
        if self.kind() != Type::List {
            return Vec::new();
        }
        (0..self.length()).map(|it| Js(host::at(&self.0, it).unwrap_or(JsValue::UNDEFINED))).collect()
    }

    fn keys(&self) -> Vec<String> {
        let Ok(names) = host::keys(&self.0) else { return Vec::new() };
        let names = names.iter().filter_map(|it| it.as_string());
        names.filter(|it| !self.member(it).is_undefined()).collect()
    }
}
