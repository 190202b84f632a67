//! A caller's input, read in one step: reading it in place would take several calls of JavaScript for each field.

use std::borrow::Cow;

use mediagate_core::{Type, Value};

use crate::value::KINDS;

/// The tokens of an input, as `host.js` writes them.
pub struct Tokens<'a> {
    texts: Vec<&'a str>,
    numbers: Vec<f64>,
    /// For each token that begins a value, the index of the token after that value.
    ends: Vec<usize>,
}

/// A value of an input, by the index of its first token.
#[derive(Clone, Copy)]
pub struct InputView<'a> {
    tokens: &'a Tokens<'a>,
    index: usize,
}

impl<'a> Tokens<'a> {
    /// Splits a text at NUL into tokens, one for each of the numbers.
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
                && let Some(outer_end) = open.pop().and_then(|it: usize| ends.get_mut(it))
            {
                *outer_end = end;
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
    pub fn value(&self) -> InputView<'_> {
        InputView { tokens: self, index: 0 }
    }

    fn token(&self, index: usize) -> &'a str {
        self.texts.get(index).copied().unwrap_or_default()
    }
}

/// The number of bytes before the first NUL. It tests eight at a time, since a prompt may be long.
fn length(bytes: &[u8]) -> usize {
    let mut count = 0;
    while let Some(eight) = bytes.get(count..).and_then(|it| it.first_chunk()) {
        let eight = u64::from_ne_bytes(*eight);
        // Subtracting 1 from each byte borrows into the highest bit of one that is 0, and of none before it.
        if eight.wrapping_sub(0x0101_0101_0101_0101) & !eight & 0x8080_8080_8080_8080 != 0 {
            break;
        }
        count += 8;
    }
    count + bytes.iter().skip(count).take_while(|it| **it != 0).count()
}

/// The type of a token: its first character is an index into [`KINDS`].
fn kind(token: &str) -> Type {
    let digit = token.bytes().next().unwrap_or_default();
    KINDS.get(usize::from(digit.wrapping_sub(b'0'))).copied().unwrap_or(Type::Other)
}

/// The text of a token, without its type.
fn content(token: &str) -> &str {
    token.get(1..).unwrap_or_default()
}

impl<'a> InputView<'a> {
    /// The media type of a file and its size in bytes; `None` for a value that is not a file.
    pub fn file(&self) -> Option<(&'a str, f64)> {
        (self.kind() == Type::Blob).then(|| (content(self.tokens.token(self.index)), self.raw_number()))
    }

    fn raw_number(&self) -> f64 {
        self.tokens.numbers.get(self.index).copied().unwrap_or_default()
    }

    /// Visits each value of a list or an object, with its name in an object, until `visit` returns true.
    fn each(&self, kind: Type, visit: &mut dyn FnMut(&'a str, InputView<'a>) -> bool) {
        if self.kind() != kind {
            return;
        }
        let mut index = self.index + 1;
        loop {
            let token = self.tokens.token(index);
            index += usize::from(kind == Type::Object);
            if token.is_empty() || visit(content(token), InputView { tokens: self.tokens, index }) {
                return;
            }
            index = self.tokens.ends.get(index).copied().unwrap_or(self.tokens.texts.len());
        }
    }
}

impl Value for InputView<'_> {
    fn kind(&self) -> Type {
        kind(self.tokens.token(self.index))
    }

    fn text(&self) -> Option<Cow<'_, str>> {
        (self.kind() == Type::Text).then(|| content(self.tokens.token(self.index)).into())
    }

    fn number(&self) -> Option<f64> {
        (self.kind() == Type::Number).then(|| self.raw_number()).filter(|it| it.is_finite())
    }

    fn digits(&self) -> Option<String> {
        self.number().map(|_| content(self.tokens.token(self.index)).into())
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
