//! Reading values: by the engine through a handle, and by the modules that make results of them.

use std::rc::Rc;

use super::Value;

impl Value {
    /// The string, if it is one.
    pub(crate) fn as_text(&self) -> Option<&str> {
        let Value::Text(text) = self else { return None };
        Some(text)
    }

    /// The number, if it is a finite one.
    pub(crate) fn as_number(&self) -> Option<f64> {
        let Value::Number(number) = self else {
            return None;
        };
        number.as_f64().filter(|it| it.is_finite())
    }

    /// Whether it is `true`.
    pub(crate) fn is_true(&self) -> bool {
        matches!(self, Value::Boolean(true))
    }

    /// The member with this name, if it is an object that has one.
    pub(crate) fn member(&self, name: &str) -> Option<Value> {
        match self {
            Value::Object(members) => members.get(name).cloned(),
            Value::File(file) => match name {
                "name" if !file.name().is_empty() => Some(Value::text(file.name())),
                "type" => Some(Value::text(file.media_type())),
                "size" => Some(Value::number(file.size() as f64)),
                _ => None,
            },
            _ => None,
        }
    }

    /// The string of a member, if it is one.
    pub(crate) fn text_of(&self, name: &str) -> Option<String> {
        Some(self.member(name)?.as_text()?.to_owned())
    }

    /// The number of a member, if it is one.
    pub(crate) fn number_of(&self, name: &str) -> Option<f64> {
        self.member(name)?.as_number()
    }

    /// The number of items, if it is a list; otherwise 0.
    pub(crate) fn length(&self) -> usize {
        if let Value::List(items) = self {
            items.borrow().len()
        } else {
            0
        }
    }

    /// The item at this index, if it is a list that has one.
    pub(crate) fn item(&self, index: usize) -> Option<Value> {
        let Value::List(items) = self else {
            return None;
        };
        items.borrow().get(index).cloned()
    }

    /// The names of an object's members; none for anything else.
    pub(crate) fn names(&self) -> Vec<Rc<str>> {
        let Value::Object(members) = self else {
            return Vec::new();
        };
        members.keys().cloned().collect()
    }

    /// An identifier: a string that is not blank, or the digits of a number.
    pub(crate) fn identifier(&self) -> Option<Value> {
        match self {
            Value::Text(text) if !text.trim().is_empty() => Some(self.clone()),
            Value::Number(number) => Some(Value::text(&number.to_string())),
            _ => None,
        }
    }

    /// Whether both are the same JSON, but for what members `eta` have, and for members `poll_after`: what the gateway
    /// expects of a task changes with each second.
    pub(crate) fn is_same(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::List(one), Value::List(other)) => {
                let (one, other) = (one.borrow(), other.borrow());
                one.len() == other.len()
                    && one
                        .iter()
                        .zip(other.iter())
                        .all(|(one, other)| one.is_same(other))
            }
            (Value::Object(_), Value::Object(_)) => {
                let names = |it: &Value| {
                    it.names()
                        .into_iter()
                        .filter(|it| &**it != "poll_after")
                        .collect::<Vec<_>>()
                };
                let is_same = |name: &str| match (self.member(name), other.member(name)) {
                    (Some(one), Some(other)) => name == "eta" || one.is_same(&other),
                    _ => false,
                };
                names(self) == names(other) && names(self).iter().all(|it| is_same(it))
            }
            _ => self.is_identical(other),
        }
    }
}
