//! JSON Pointers (RFC 6901): the places of values.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

/// A JSON Pointer, such as `/data/task`. The empty pointer is the whole value. In JSON it is a
/// string.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Pointer(String);

impl Pointer {
    /// Returns a pointer without a check, for the constants of this crate. A test parses each of
    /// them.
    pub(super) fn new(text: impl Into<String>) -> Self {
        Pointer(text.into())
    }

    /// Returns the pointer as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the pointer's tokens, unescaped.
    pub fn tokens(&self) -> impl Iterator<Item = String> {
        self.0
            .split('/')
            .skip(1)
            // `~0` comes last, or `~01` would become `/` (RFC 6901, section 4).
            .map(|token| token.replace("~1", "/").replace("~0", "~"))
    }

    /// Returns the pointer with one more token.
    pub(super) fn join(&self, token: &str) -> Self {
        Pointer(format!(
            "{}/{}",
            self.0,
            token.replace('~', "~0").replace('/', "~1")
        ))
    }

    /// Returns the pointer to the parent of this place: the empty pointer for a place at the top.
    pub(super) fn parent(&self) -> Self {
        Pointer(
            self.0
                .rsplit_once('/')
                .map(|(parent, _)| parent)
                .unwrap_or_default()
                .into(),
        )
    }

    /// Returns true if the places are equal, or if one of them contains the second.
    pub(super) fn overlaps(&self, other: &Pointer) -> bool {
        self.tokens()
            .zip(other.tokens())
            .all(|(own, other)| own == other)
    }

    /// Returns the place as messages write it, such as `file.name` for `/file/name`.
    pub(super) fn dotted(&self) -> String {
        self.tokens().collect::<Vec<_>>().join(".")
    }
}

impl FromStr for Pointer {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Pointer::try_from(text.to_owned())
    }
}

impl TryFrom<String> for Pointer {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let unescaped = text.replace("~0", "").replace("~1", "");
        match text.is_empty() || text.starts_with('/') {
            true if !unescaped.contains('~') => Ok(Pointer(text)),
            true => Err("a JSON Pointer has ~ only in ~0 and ~1"),
            false => Err("a JSON Pointer is empty or begins with /"),
        }
    }
}

impl From<Pointer> for String {
    fn from(pointer: Pointer) -> Self {
        pointer.0
    }
}

impl fmt::Display for Pointer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pointer_is_empty_or_begins_with_a_slash() {
        for text in ["", "/", "/a/0", "/a~1b~0"] {
            assert_eq!(text.parse::<Pointer>().unwrap().as_str(), text);
        }
        for text in ["a", "a/b", "/~", "/~2"] {
            assert!(text.parse::<Pointer>().is_err(), "{text}");
        }
    }

    #[test]
    fn tokens_are_unescaped() {
        let pointer = Pointer::new("").join("a/b~").join("0");
        assert_eq!(
            (pointer.as_str(), pointer.dotted()),
            ("/a~1b~0/0", "a/b~.0".into())
        );
        assert_eq!(pointer.parent(), Pointer::new("/a~1b~0"));
        assert_eq!(Pointer::new("/a").parent(), Pointer::new(""));
    }

    #[test]
    fn places_overlap_where_one_contains_the_other() {
        let overlap = |one: &str, other: &str| Pointer::new(one).overlaps(&Pointer::new(other));
        assert!(
            overlap("/a", "/a")
                && overlap("/a", "/a/b")
                && overlap("/a/b", "/a")
                && overlap("", "/a")
        );
        assert!(!overlap("/a", "/b") && !overlap("/a/b", "/a/c") && !overlap("/a", "/ab"));
    }
}
