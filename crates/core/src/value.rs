//! The view of a JSON-like value that validation and decoding need.

use std::borrow::Cow;

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

/// A JSON-like value. Clones are cheap: a reference, or a handle of the JavaScript engine.
pub trait Value: Clone {
    /// Its type.
    fn kind(&self) -> Type;
    /// The string, if it is one.
    fn text(&self) -> Option<Cow<'_, str>>;
    /// The number, if it is a finite one.
    fn number(&self) -> Option<f64>;
    /// The number as a string, if it is a number: keeps the digits of an id that no float can hold.
    fn digits(&self) -> Option<String>;
    /// The member with this name, if it is an object that has one.
    fn get(&self, name: &str) -> Option<Self>;
    /// The items, if it is a list; otherwise none.
    fn items(&self) -> Vec<Self>;
    /// The members' names, if it is an object; otherwise none. In a browser they include members that are `undefined`,
    /// which [`Value::get`] does not return.
    fn keys(&self) -> Vec<String>;

    /// An identifier: a string that is not blank, or the digits of a number.
    fn identifier(&self) -> Option<String> {
        match self.kind() {
            Type::Text => self.text().filter(|it| !it.trim().is_empty()).map(Cow::into_owned),
            Type::Number => self.digits(),
            _ => None,
        }
    }
}

#[cfg(feature = "serde_json")]
impl Value for &serde_json::Value {
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

    fn text(&self) -> Option<Cow<'_, str>> {
        self.as_str().map(Cow::Borrowed)
    }

    fn number(&self) -> Option<f64> {
        self.as_f64().filter(|it| it.is_finite())
    }

    fn digits(&self) -> Option<String> {
        self.as_number().map(ToString::to_string)
    }

    fn get(&self, name: &str) -> Option<Self> {
        self.as_object()?.get(name)
    }

    fn items(&self) -> Vec<Self> {
        self.as_array().map(|it| it.iter().collect()).unwrap_or_default()
    }

    fn keys(&self) -> Vec<String> {
        self.as_object().map(|it| it.keys().cloned().collect()).unwrap_or_default()
    }
}
