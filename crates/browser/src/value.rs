//! JavaScript values as the JSON-like values that the core walks, read in place. A caller's whole input is read by
//! `input_view` instead, in one step.

use std::borrow::Cow;

use js_sys::Array;
use mediagate_core::{Type, Value};
use wasm_bindgen::JsValue;

use crate::host;

/// The types, in the order in which `host.js` numbers them.
pub(crate) const KINDS: [Type; 8] =
    [Type::Null, Type::Boolean, Type::Number, Type::Text, Type::List, Type::Object, Type::Blob, Type::Other];

/// A JavaScript value, read in place.
///
/// No value can make it panic: a getter that throws, a revoked proxy and a member that is `undefined` all read as
/// absent; functions, symbols and big integers are [`Type::Other`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Js(pub JsValue);

impl Js {
    /// The member's value; `undefined` where there is none.
    pub fn member(&self, name: &str) -> JsValue {
        host::member(&self.0, name)
    }

    /// The member's value, where it is a string.
    pub fn string(&self, name: &str) -> Option<String> {
        host::string_member(&self.0, name)
    }
}

impl Value for Js {
    fn kind(&self) -> Type {
        KINDS.get(host::kind(&self.0)).copied().unwrap_or(Type::Other)
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
        let length = self.member("length").as_f64().map_or(0, |it| it as u32);
        (0..length).map(|it| Js(host::at(&self.0, it).unwrap_or(JsValue::UNDEFINED))).collect()
    }

    fn keys(&self) -> Vec<String> {
        let names = if self.0.is_object() { host::keys(&self.0).unwrap_or_default() } else { Array::new() };
        names.iter().filter_map(|it| it.as_string()).collect()
    }
}
