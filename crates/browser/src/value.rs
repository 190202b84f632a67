//! JavaScript values in the form that the client reads and makes.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

use js_sys::{Array, JSON, Object, Symbol};
use mediagate_client::HostValue;
use mediagate_core::{Type, Value};
use wasm_bindgen::prelude::*;

#[wasm_bindgen(raw_module = "./values.js")]
extern "C" {
    #[wasm_bindgen(js_name = typeOf)]
    fn type_of(value: &JsValue) -> usize;
    /// Returns a member; `undefined` if the value is not an object.
    fn member(value: &JsValue, name: &str) -> JsValue;
}

/// The types, in the order of `typeOf`.
const TYPES: [Type; 7] = [
    Type::Null,
    Type::Boolean,
    Type::Number,
    Type::Text,
    Type::List,
    Type::Object,
    Type::Blob,
];

#[wasm_bindgen]
extern "C" {
    /// An object, whose members are accessed by their names.
    type Members;
    #[wasm_bindgen(method, indexing_setter)]
    fn set(this: &Members, name: &str, value: &JsValue);
    #[wasm_bindgen(method, indexing_deleter)]
    fn delete(this: &Members, name: &str);
}

/// A JavaScript value. The client reads it without a copy.
#[derive(Clone)]
pub struct Js(pub(crate) JsValue);

impl Js {
    fn copy(&self) -> Members {
        Object::assign(&Object::new(), self.0.unchecked_ref()).unchecked_into()
    }
}

impl Value for Js {
    type Str = String;
    type Text = String;

    const TAKES_FILES: bool = true;

    fn kind(&self) -> Type {
        let position = type_of(&self.0);
        TYPES.get(position).copied().unwrap_or(Type::Other)
    }

    fn described(&self) -> Cow<'static, str> {
        // The package replaces a value that no field takes by a symbol that describes it.
        let symbol = self.0.dyn_ref::<Symbol>();
        match symbol.and_then(Symbol::description) {
            Some(text) => String::from(text).into(),
            None => self.kind().described().into(),
        }
    }

    fn text(&self) -> Option<String> {
        self.0.as_string()
    }

    fn number(&self) -> Option<f64> {
        self.0.as_f64().filter(|number| number.is_finite())
    }

    fn get(&self, name: &str) -> Option<Self> {
        let value = member(&self.0, name);
        (!value.is_undefined()).then_some(Js(value))
    }

    fn length(&self) -> usize {
        match self.0.dyn_ref::<Array>() {
            Some(list) => list.length() as usize,
            None => 0,
        }
    }

    fn item(&self, index: usize) -> Option<Self> {
        let list = self.0.dyn_ref::<Array>()?;
        let index = u32::try_from(index).ok()?;
        (index < list.length()).then(|| Js(list.get(index)))
    }

    fn keys(&self) -> impl Iterator<Item = String> + use<> {
        self.members().into_iter().map(|(name, _)| name)
    }

    fn members(&self) -> Vec<(String, Self)> {
        // A list has indices for keys.
        if self.kind() != Type::Object {
            return Vec::new();
        }
        let object: &Object = self.0.unchecked_ref();
        let names = Object::keys(object);
        let values = Object::values(object);
        let member = |index| {
            let value = values.get(index);
            let name = names.get(index).as_string()?;
            (!value.is_undefined()).then_some((name, Js(value)))
        };
        (0..names.length()).filter_map(member).collect()
    }

    fn identifier(&self) -> Option<String> {
        if let Some(text) = self.text() {
            return (!text.trim().is_empty()).then_some(text);
        }
        self.number()?;
        Some(String::from(
            self.0
                .unchecked_ref::<js_sys::Number>()
                .to_string_with_radix(10)
                .ok()?,
        ))
    }
}

impl HostValue for Js {
    fn from_text(text: &str) -> Self {
        Js(JsValue::from_str(text))
    }

    fn from_number(number: f64) -> Self {
        Js(JsValue::from_f64(number))
    }

    fn from_items(items: Vec<Self>) -> Self {
        let list = Array::new();
        for item in items {
            list.push(&item.0);
        }
        Js(list.into())
    }

    fn from_members(members: Vec<(&str, Self)>) -> Self {
        let object: Members = Object::new().unchecked_into();
        for (name, value) in members {
            object.set(name, &value.0);
        }
        Js(object.into())
    }

    fn with(&self, name: &str, value: Self) -> Self {
        let copy = self.copy();
        copy.set(name, &value.0);
        Js(copy.into())
    }

    fn without(&self, name: &str) -> Self {
        let copy = self.copy();
        copy.delete(name);
        Js(copy.into())
    }

    fn to_json(&self) -> String {
        JSON::stringify(&self.0)
            .map(String::from)
            .unwrap_or_default()
    }

    fn is_same(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}
