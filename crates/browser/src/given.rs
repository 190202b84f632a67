//! A caller's input, read in one step: to look into it in place takes several calls of JavaScript for each field.

use std::borrow::Cow;

use mediagate_core::text::cut;
use mediagate_core::{Type, Value};

use crate::value::KINDS;

/// The tokens of an input, as `host.js` writes them, and their numbers.
pub struct Tokens<'a> {
    texts: Vec<&'a str>,
    numbers: Vec<f64>,
}

/// A value of an input: the tokens from its first on.
#[derive(Clone, Copy)]
pub struct Given<'a> {
    texts: &'a [&'a str],
    numbers: &'a [f64],
}

impl<'a> Tokens<'a> {
    /// Those in a text, parted by NUL.
    pub fn new(text: &'a str, numbers: Vec<f64>) -> Self {
        let mut texts = Vec::with_capacity(numbers.len());
        let mut rest = Some(text);
        while let Some(text) = rest {
            let (token, after) = cut(text, &[0]);
            texts.push(token);
            rest = after;
        }
        Tokens { texts, numbers }
    }

    /// The whole input.
    pub fn value(&self) -> Given<'_> {
        Given { texts: &self.texts, numbers: &self.numbers }
    }
}

impl<'a> Given<'a> {
    /// The type of a file, and its size in bytes, where it is a file.
    pub fn file(&self) -> Option<(&'a str, f64)> {
        (self.kind() == Type::Blob).then(|| (self.content(), self.numbers.first().copied().unwrap_or_default()))
    }

    fn token(&self) -> &'a str {
        self.texts.first().copied().unwrap_or_default()
    }

    /// What stands in the token behind its type.
    fn content(&self) -> &'a str {
        self.token().get(1..).unwrap_or_default()
    }

    /// What stands behind the token.
    fn next(&self) -> Self {
        Given { texts: self.texts.get(1..).unwrap_or_default(), numbers: self.numbers.get(1..).unwrap_or_default() }
    }

    /// Shows what is in a list or an object, each with its name, and gives what stands behind the value.
    fn each(&self, kind: Type, show: &mut dyn FnMut(&'a str, Given<'a>)) -> Self {
        let mut at = self.next();
        if !matches!(self.kind(), Type::List | Type::Object) {
            return at;
        }
        while !at.token().is_empty() {
            let name = at.content();
            if self.kind() == Type::Object {
                at = at.next();
            }
            if self.kind() == kind {
                show(name, at);
            }
            at = at.each(Type::Null, &mut |_, _| {});
        }
        at.next()
    }
}

impl Value for Given<'_> {
    fn kind(&self) -> Type {
        let digit = self.token().bytes().next().unwrap_or_default();
        KINDS.get(usize::from(digit.wrapping_sub(b'0'))).copied().unwrap_or(Type::Other)
    }

    fn text(&self) -> Option<Cow<'_, str>> {
        (self.kind() == Type::Text).then(|| self.content().into())
    }

    fn number(&self) -> Option<f64> {
        let number = self.numbers.first().copied().filter(|it| it.is_finite());
        if self.kind() == Type::Number { number } else { None }
    }

    fn digits(&self) -> Option<String> {
        self.number().map(|_| self.content().into())
    }

    fn get(&self, name: &str) -> Option<Self> {
        let mut found = None;
        self.each(Type::Object, &mut |it, value| {
            if it == name {
                found = Some(value);
            }
        });
        found
    }

    fn items(&self) -> Vec<Self> {
        let mut items = Vec::new();
        self.each(Type::List, &mut |_, item| items.push(item));
        items
    }

    fn keys(&self) -> Vec<String> {
        let mut names = Vec::new();
        self.each(Type::Object, &mut |name, _| names.push(name.into()));
        names
    }
}
