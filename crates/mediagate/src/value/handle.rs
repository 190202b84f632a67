//! Handles of values, as the engine and the core read them.

use std::ops::Deref;
use std::rc::Rc;

use mediagate_core::{Type, Value as CoreValue};

use super::Value;
use super::table::{Handle, hold};

/// A string that is read.
pub(crate) struct Text(Rc<str>);

impl Deref for Text {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl CoreValue for Handle {
    type Str = Text;
    type Text = Handle;

    const TAKES_FILES: bool = true;

    fn kind(self) -> Type {
        self.value().kind()
    }

    fn text(self) -> Option<Text> {
        if let Value::Text(text) = self.value() {
            Some(Text(text))
        } else {
            None
        }
    }

    fn number(self) -> Option<f64> {
        self.value().as_number()
    }

    fn get(self, name: &str) -> Option<Self> {
        self.value().member(name).map(hold)
    }

    fn length(self) -> usize {
        self.value().length()
    }

    fn item(self, index: usize) -> Option<Self> {
        self.value().item(index).map(hold)
    }

    fn keys(self) -> impl Iterator<Item = Text> {
        self.value().names().into_iter().map(Text)
    }

    fn identifier(self) -> Option<Handle> {
        self.value().identifier().map(hold)
    }
}
