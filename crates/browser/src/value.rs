//! JavaScript values in the form that the client reads and makes.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

use js_sys::{Array, JSON, Object, Symbol};
use mediagate_client::HostValue;
use mediagate_core::{Type, Value};
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// A file.
    #[derive(Clone)]
    pub type Blob;
    #[wasm_bindgen(method, getter)]
    fn size(this: &Blob) -> f64;

    /// An object, whose members are accessed by their names.
    type Members;
    #[wasm_bindgen(method, indexing_getter)]
    fn get(this: &Members, name: &str) -> JsValue;
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
        let value = &self.0;
        if value.is_string() {
            Type::Text
        } else if value.is_undefined() || value.is_null() {
            Type::Null
        } else if Array::is_array(value) {
            Type::List
        } else if value.is_instance_of::<Blob>() {
            // Before objects, because a blob is an object, too.
            Type::Blob
        } else if value.is_object() {
            Type::Object
        } else if value.as_f64().is_some() {
            Type::Number
        } else if value.as_bool().is_some() {
            Type::Boolean
        } else {
            Type::Other
        }
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
        if !self.0.is_object() {
            return None;
        }
        let value = self.0.unchecked_ref::<Members>().get(name);
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
        // `Object.keys` would return the indices of a list.
        let keys = if self.kind() == Type::Object {
            Object::keys(self.0.unchecked_ref::<Object>())
        } else {
            Array::new()
        };
        (0..keys.length()).filter_map(move |index| keys.get(index).as_string())
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
