use alloc::borrow::Cow;
#[cfg(feature = "serde_json")]
use alloc::string::String;
use alloc::vec::Vec;

use core::ops::Deref;

/// The type of a [`Value`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// `null`.
    Null,
    /// `true` or `false`.
    Boolean,
    /// Any number, finite or not.
    Number,
    /// A string.
    Text,
    /// An array.
    List,
    /// An object with named members.
    Object,
    /// A file that is not uploaded yet, instead of a file id. Occurs only in a browser.
    Blob,
    /// A value that JSON cannot hold: a function, a symbol, a big integer.
    Other,
}

impl Type {
    /// Describes the type, with an article, for error messages.
    pub const fn described(self) -> &'static str {
        match self {
            Type::Null => "null",
            Type::Boolean => "a boolean",
            Type::Number => "a number",
            Type::Text => "a string",
            Type::List => "a list",
            Type::Object => "an object",
            Type::Blob => "a file",
            Type::Other => "not a JSON value",
        }
    }
}

/// A JSON-like value that validation and decoding can read.
///
/// Both clone values, so a clone should be cheap: a reference, a handle or a counted pointer.
pub trait Value: Clone {
    /// A string that is read.
    type Str: Deref<Target = str>;
    /// A string that outlives the value.
    type Text: Clone + PartialEq + core::fmt::Debug;

    /// True if a file may stand for its id, because the client uploads the file first.
    const TAKES_FILES: bool = false;

    /// Returns the type.
    fn kind(&self) -> Type;
    /// Describes the value's type, with an article, for error messages.
    fn described(&self) -> Cow<'static, str> {
        self.kind().described().into()
    }
    /// Returns the string, if the value is one.
    fn text(&self) -> Option<Self::Str>;
    /// Returns the number, if the value is a finite one.
    fn number(&self) -> Option<f64>;
    /// Returns the member with this name, if the value is an object that has one.
    fn get(&self, name: &str) -> Option<Self>;
    /// Returns the number of items, or 0 if the value is not a list.
    fn length(&self) -> usize;
    /// Returns the item at this index, if the value is a list that has one.
    fn item(&self, index: usize) -> Option<Self>;
    /// Returns the names of an object's members. There are none if the value is not an object.
    fn keys(&self) -> impl Iterator<Item = Self::Str> + use<Self>;
    /// Returns the names and the values of an object's members. There are none if the value is not
    /// an object.
    fn members(&self) -> Vec<(Self::Str, Self)> {
        let names = self.keys();
        names
            .filter_map(|name| self.get(&name).map(|member| (name, member)))
            .collect()
    }
    /// Returns an identifier: a string that is not blank, or the digits of a number, even of a
    /// number that no float can hold.
    fn identifier(&self) -> Option<Self::Text>;

    /// Returns true if the value is this string.
    fn is(&self, text: &str) -> bool {
        self.text().as_deref() == Some(text)
    }

    /// Returns the items of a list. There are none if the value is not a list.
    fn items(&self) -> impl Iterator<Item = Self> + use<Self> {
        let list = self.clone();
        (0..list.length()).filter_map(move |index| list.item(index))
    }
}

/// Returns an object with these members.
///
/// `Map::from_iter` sorts the members first. The code that it sorts with would be 7 KB of wasm, for
/// each type of iterator.
#[cfg(feature = "serde_json")]
pub fn object(
    members: impl IntoIterator<Item = (String, serde_json::Value)>,
) -> serde_json::Map<String, serde_json::Value> {
    let mut object = serde_json::Map::new();
    object.extend(members);
    object
}

#[cfg(feature = "serde_json")]
impl<'a> Value for &'a serde_json::Value {
    type Str = &'a str;
    type Text = String;

    fn kind(&self) -> Type {
        match self {
            serde_json::Value::Null => Type::Null,
            serde_json::Value::Bool(_) => Type::Boolean,
            serde_json::Value::Number(_) => Type::Number,
            serde_json::Value::String(_) => Type::Text,
            serde_json::Value::Array(_) => Type::List,
            serde_json::Value::Object(_) => Type::Object,
        }
    }

    fn text(&self) -> Option<&'a str> {
        self.as_str()
    }

    fn number(&self) -> Option<f64> {
        self.as_f64().filter(|number| number.is_finite())
    }

    fn get(&self, name: &str) -> Option<Self> {
        self.as_object()?.get(name)
    }

    fn length(&self) -> usize {
        self.as_array().map_or(0, Vec::len)
    }

    fn item(&self, index: usize) -> Option<Self> {
        self.as_array()?.get(index)
    }

    fn keys(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        self.as_object()
            .into_iter()
            .flat_map(|object| object.keys().map(String::as_str))
    }

    fn identifier(&self) -> Option<String> {
        match self {
            serde_json::Value::String(text) if !text.trim().is_empty() => Some(text.clone()),
            serde_json::Value::Number(number) => Some(alloc::format!("{number}")),
            _ => None,
        }
    }
}
