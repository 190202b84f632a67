//! Lists of JSON Pointers (RFC 6901) in a response.

use core::fmt;
use serde::de::{self, Deserialize, Deserializer, SeqAccess, Visitor};
use serde::ser::{Serialize, Serializer};
use serde_json::Value;

/// The largest number of places in a list. Each is tried for every response.
const MAX_POINTERS: usize = 200;

/// JSON Pointers, tried in order. In a document it is a list of strings, or one string.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pointers(Vec<String>);

impl Pointers {
    /// Creates a list of these places. After each, there is the place with its name in camel case.
    pub(super) fn of(places: &[&'static str]) -> Self {
        Pointers::from_texts(places.iter().map(|place| (*place).to_owned()))
    }

    /// Creates a list of each name in each container and in the whole value, also in camel case.
    /// The first name is tried in every container before the second.
    pub(super) fn within(containers: &[&str], names: &[&str]) -> Self {
        let mut places = Vec::new();
        for name in names {
            for container in containers.iter().chain([&""]) {
                places.push(format!("{container}/{name}"));
            }
        }
        Pointers::from_texts(places)
    }

    fn from_texts(places: impl IntoIterator<Item = String>) -> Self {
        let mut list: Vec<String> = Vec::new();
        for place in places {
            let twin = in_camel_case(&place);
            for place in [place, twin] {
                if !list.contains(&place) {
                    list.push(place);
                }
            }
        }
        Pointers(list)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the places in order.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }

    /// Returns the first accepted value at one of the places. Tries every place in the first value,
    /// then in the next ones.
    pub fn find<'a, T>(
        &self,
        values: &[&'a Value],
        accept: impl Fn(&'a Value) -> Option<T>,
    ) -> Option<T> {
        let (_, _, found) = self.locate(values, accept)?;
        Some(found)
    }

    /// Like [`Pointers::find`], with the index of the value and the place in it.
    pub(crate) fn locate<'a, T>(
        &self,
        values: &[&'a Value],
        accept: impl Fn(&'a Value) -> Option<T>,
    ) -> Option<(usize, &str, T)> {
        for (index, value) in values.iter().enumerate() {
            for place in self.iter() {
                if let Some(found) = value.pointer(place).and_then(&accept) {
                    return Some((index, place, found));
                }
            }
        }
        None
    }
}

fn is_pointer(text: &str) -> bool {
    let escapes = text
        .split('~')
        .skip(1)
        .all(|escape| escape.starts_with(['0', '1']));
    (text.is_empty() || text.starts_with('/')) && escapes
}

impl<'de> Deserialize<'de> for Pointers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(PointersVisitor)
    }
}

struct PointersVisitor;

impl<'de> Visitor<'de> for PointersVisitor {
    type Value = Pointers;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON Pointer such as \"/data/id\", or a list of them")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Pointers, E> {
        Ok(Pointers([pointer(text.into())?].into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Pointers, A::Error> {
        let mut places = Vec::new();
        while let Some(text) = list.next_element::<String>()? {
            if places.len() >= MAX_POINTERS {
                return Err(de::Error::custom(format!(
                    "more than {MAX_POINTERS} places"
                )));
            }
            places.push(pointer(text)?);
        }
        Ok(Pointers(places))
    }
}

fn pointer<E: de::Error>(text: String) -> Result<String, E> {
    if is_pointer(&text) {
        Ok(text)
    } else {
        Err(E::custom(format!(
            "{text:?} is no JSON Pointer; give one such as \"/data/id\", or \"\" for the whole"
        )))
    }
}

impl Serialize for Pointers {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(&self.0)
    }
}

/// Returns a place with its last name in camel case.
fn in_camel_case(place: &str) -> String {
    let (outer, name) = place.rsplit_once('/').unwrap_or(("", place));
    let mut camel = String::with_capacity(place.len());
    for (index, word) in name.split('_').enumerate() {
        let mut letters = word.chars();
        match letters.next().filter(|_| index > 0) {
            Some(first) => {
                camel.extend(first.to_uppercase());
                camel.push_str(letters.as_str());
            }
            None => camel.push_str(word),
        }
    }
    if place.contains('/') {
        format!("{outer}/{camel}")
    } else {
        camel
    }
}
