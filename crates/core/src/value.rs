//! The view of a JSON-like value that validation and decoding need.

#[cfg(feature = "serde_json")]
use alloc::string::String;
#[cfg(feature = "serde_json")]
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
    /// A file that is not uploaded yet, in place of a file id. In a browser only.
    Blob,
    /// A value that JSON cannot hold: a function, a symbol, a big integer.
    Other,
}

impl Type {
    /// The type in words, with an article, for error messages.
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

/// A JSON-like value: a reference, or a handle of the JavaScript engine.
pub trait Value: Copy {
    /// A string that is read.
    type Str: Deref<Target = str>;
    /// A string that outlives the value.
    type Text: Clone + PartialEq + core::fmt::Debug;

    /// Whether a file may be in the place of its id: where the client uploads it first.
    const TAKES_FILES: bool = false;

    /// Its type.
    fn kind(self) -> Type;
    /// The string, if it is one.
    fn text(self) -> Option<Self::Str>;
    /// The number, if it is a finite one.
    fn number(self) -> Option<f64>;
    /// The member with this name, if it is an object that has one.
    fn get(self, name: &str) -> Option<Self>;
    /// The number of items, if it is a list; otherwise 0.
    fn length(self) -> usize;
    /// The item at this index, if it is a list that has one.
    fn item(self, index: usize) -> Option<Self>;
    /// The members' names, if it is an object; otherwise none. In a browser they include members that are `undefined`,
    /// which [`Value::get`] does not return.
    fn keys(self) -> impl Iterator<Item = Self::Str>;
    /// An identifier: a string that is not blank, or the digits of a number, also of one that no float can hold.
    fn identifier(self) -> Option<Self::Text>;

    /// Whether it is this string.
    fn is(self, text: &str) -> bool {
        self.text().as_deref() == Some(text)
    }

    /// The items, if it is a list; otherwise none.
    fn items(self) -> impl Iterator<Item = Self> {
        (0..self.length()).filter_map(move |it| self.item(it))
    }
}

#[cfg(feature = "serde_json")]
impl<'a> Value for &'a serde_json::Value {
    type Str = &'a str;
    type Text = String;

    fn kind(self) -> Type {
        match self {
            serde_json::Value::Null => Type::Null,
            serde_json::Value::Bool(_) => Type::Boolean,
            serde_json::Value::Number(_) => Type::Number,
            serde_json::Value::String(_) => Type::Text,
            serde_json::Value::Array(_) => Type::List,
            serde_json::Value::Object(_) => Type::Object,
        }
    }

    fn text(self) -> Option<&'a str> {
        self.as_str()
    }

    fn number(self) -> Option<f64> {
        self.as_f64().filter(|it| it.is_finite())
    }

    fn get(self, name: &str) -> Option<Self> {
        self.as_object()?.get(name)
    }

    fn length(self) -> usize {
        self.as_array().map_or(0, Vec::len)
    }

    fn item(self, index: usize) -> Option<Self> {
        self.as_array()?.get(index)
    }

    fn keys(self) -> impl Iterator<Item = &'a str> {
        self.as_object()
            .into_iter()
            .flat_map(|it| it.keys().map(String::as_str))
    }

    fn identifier(self) -> Option<String> {
        match self {
            serde_json::Value::String(it) if !it.trim().is_empty() => Some(it.clone()),
            serde_json::Value::Number(it) => Some(alloc::format!("{it}")),
            _ => None,
        }
    }
}
