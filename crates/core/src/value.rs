//! What validation and decoding need to know of a JSON-like value.

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
    /// A file whose bytes are at hand but not uploaded yet: stands in for a file id, in a browser only.
    Blob,
    /// What JSON can't carry: a function, a symbol, a big integer.
    Other,
}

impl Type {
    /// The type with its article, as an error message says it.
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

/// A JSON-like value that can be looked into. Clones are cheap: a reference, or a handle of the JavaScript engine.
pub trait Value: Clone {
    /// Its type.
    fn kind(&self) -> Type;
    /// The string, where it is one.
    fn text(&self) -> Option<Cow<'_, str>>;
    /// The number, where it is a finite one.
    fn number(&self) -> Option<f64>;
    /// The number as it is written, where it is a number: keeps the digits of an id that no float can hold.
    fn digits(&self) -> Option<String>;
    /// The member of this name, where it is an object that has it.
    fn get(&self, name: &str) -> Option<Self>;
    /// The elements, where it is a list; otherwise none.
    fn items(&self) -> Vec<Self>;
    /// The members' names, where it is an object; otherwise none. In a browser also of those that are `undefined`, which
    /// [`Value::get`] does not give.
    fn keys(&self) -> Vec<String>;

    /// A string that is not blank, or a number as written: the two forms an identifier may take.
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
