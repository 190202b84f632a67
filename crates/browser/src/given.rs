//! A caller's input, read in one step: to look into it in place takes several calls of JavaScript for each field.

use std::borrow::Cow;

use mediagate_core::{Type, Value};

use crate::value::KINDS;

/// The tokens of an input, as `host.js` writes them.
pub struct Tokens<'a> {
    texts: Vec<&'a str>,
    numbers: Vec<f64>,
    /// For each that begins a value, the place behind that value.
    ends: Vec<usize>,
}

/// A value of an input: the place of its first token.
#[derive(Clone, Copy)]
pub struct Given<'a> {
    of: &'a Tokens<'a>,
    at: usize,
}

impl<'a> Tokens<'a> {
    /// Those in a text, parted by NUL, and their numbers.
    pub fn new(text: &'a str, numbers: Vec<f64>) -> Self {
        let (mut texts, mut ends) = (Vec::with_capacity(numbers.len()), Vec::with_capacity(numbers.len()));
        let mut open = Vec::new();
        let mut start = 0;
        for _ in 0..numbers.len() {
            let rest = text.get(start..).unwrap_or_default();
            let token = rest.get(..length(rest.as_bytes())).unwrap_or_default();
            start += token.len() + 1;
            let end = texts.len() + 1;
            if token.is_empty()
                && let Some(place) = open.pop().and_then(|it: usize| ends.get_mut(it))
            {
                *place = end;
            }
            if matches!(kind(token), Type::List | Type::Object) {
                open.push(texts.len());
            }
            texts.push(token);
            ends.push(end);
        }
        Tokens { texts, numbers, ends }
    }

    /// The whole input.
    pub fn value(&self) -> Given<'_> {
        Given { of: self, at: 0 }
    }

    fn token(&self, at: usize) -> &'a str {
        self.texts.get(at).copied().unwrap_or_default()
    }
}

/// How many bytes are before the first NUL. Eight at a time, as long as there is none in them: a prompt may be long.
fn length(bytes: &[u8]) -> usize {
    let mut count = 0;
    while let Some(eight) = bytes.get(count..).and_then(|it| it.first_chunk()) {
        let eight = u64::from_ne_bytes(*eight);
        // Taking one away borrows from the highest bit of a byte that was 0, and of no other before it.
        if eight.wrapping_sub(0x0101_0101_0101_0101) & !eight & 0x8080_8080_8080_8080 != 0 {
            break;
        }
        count += 8;
    }
    count + bytes.iter().skip(count).take_while(|it| **it != 0).count()
}

/// The type that a token begins with.
fn kind(token: &str) -> Type {
    let digit = token.bytes().next().unwrap_or_default();
    KINDS.get(usize::from(digit.wrapping_sub(b'0'))).copied().unwrap_or(Type::Other)
}

/// What stands in a token behind its type.
fn content(token: &str) -> &str {
    token.get(1..).unwrap_or_default()
}

impl<'a> Given<'a> {
    /// The type of a file, and its size in bytes, where it is a file.
    pub fn file(&self) -> Option<(&'a str, f64)> {
        (self.kind() == Type::Blob).then(|| (content(self.of.token(self.at)), self.value()))
    }

    fn value(&self) -> f64 {
        self.of.numbers.get(self.at).copied().unwrap_or_default()
    }

    /// Shows what is in a list or an object, each with its name, until that says that it is enough.
    fn each(&self, kind: Type, show: &mut dyn FnMut(&'a str, Given<'a>) -> bool) {
        if self.kind() != kind {
            return;
        }
        let mut at = self.at + 1;
        loop {
            let token = self.of.token(at);
            at += usize::from(kind == Type::Object);
            if token.is_empty() || show(content(token), Given { of: self.of, at }) {
                return;
            }
            at = self.of.ends.get(at).copied().unwrap_or(self.of.texts.len());
        }
    }
}

impl Value for Given<'_> {
    fn kind(&self) -> Type {
        kind(self.of.token(self.at))
    }

    fn text(&self) -> Option<Cow<'_, str>> {
        (self.kind() == Type::Text).then(|| content(self.of.token(self.at)).into())
    }

    fn number(&self) -> Option<f64> {
        (self.kind() == Type::Number).then(|| self.value()).filter(|it| it.is_finite())
    }

    fn digits(&self) -> Option<String> {
        self.number().map(|_| content(self.of.token(self.at)).into())
    }

    fn get(&self, name: &str) -> Option<Self> {
        let mut found = None;
        self.each(Type::Object, &mut |it, value| {
            found = (it == name).then_some(value);
            found.is_some()
        });
        found
    }

    fn items(&self) -> Vec<Self> {
        let mut items = Vec::new();
        self.each(Type::List, &mut |_, item| {
            items.push(item);
            false
        });
        items
    }

    fn keys(&self) -> Vec<String> {
        let mut names = Vec::new();
        self.each(Type::Object, &mut |name, _| {
            names.push(name.into());
            false
        });
        names
    }
}
