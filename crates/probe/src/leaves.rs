//! Finds places in a response by their values.

use serde_json::Value;

use mediagate_core::ids::snake;
use mediagate_core::text::after_last;

/// Levels of nesting that are searched.
const MAX_DEPTH: usize = 8;
/// The most values that are read of one response.
const MAX_VALUES: usize = 5000;
/// The longest name of a member that is read: a place with it is written to a file, and read by people.
const MAX_NAME_LEN: usize = 64;

/// A string, a number or a boolean, and where it is.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Leaf {
    /// A JSON Pointer from the outermost value.
    pub(super) place: String,
    pub(super) value: Value,
}

/// Every leaf of a value.
pub(super) fn leaves(value: &Value) -> Vec<Leaf> {
    let mut found = Vec::new();
    each(value, &mut |place, value| {
        if !value.is_object() && !value.is_array() && !value.is_null() {
            found.push(Leaf {
                place: place.to_string(),
                value: value.clone(),
            });
        }
    });
    found
}

/// Visits every value within, with its place: the outer ones first.
pub(super) fn each(value: &Value, visit: &mut dyn FnMut(&str, &Value)) {
    let mut left = MAX_VALUES;
    walk(value, "", MAX_DEPTH, &mut left, visit);
}

fn walk(
    value: &Value,
    place: &str,
    depth: usize,
    left: &mut usize,
    visit: &mut dyn FnMut(&str, &Value),
) {
    visit(place, value);
    if depth == 0 {
        return;
    }
    let mut inner = |place: &str, it: &Value| {
        let may_go_on = *left > 0;
        if may_go_on {
            *left -= 1;
            walk(it, place, depth - 1, left, visit);
        }
        may_go_on
    };
    // Ends where nothing is left to read.
    let _ = match value {
        Value::Array(items) => items
            .iter()
            .enumerate()
            .all(|(index, it)| inner(&format!("{place}/{index}"), it)),
        Value::Object(members) => members
            .iter()
            .filter(|it| is_name(it.0))
            .all(|(name, it)| inner(&joined(place, name), it)),
        _ => true,
    };
}

/// Whether a member's name is one that a person can read and write.
fn is_name(name: &str) -> bool {
    name.len() <= MAX_NAME_LEN && name.bytes().all(|it| it == b' ' || it.is_ascii_graphic())
}

/// The place of a member.
pub(super) fn joined(place: &str, name: &str) -> String {
    format!("{place}/{}", name.replace('~', "~0").replace('/', "~1"))
}

/// The place of the object or list around a place.
pub(super) fn parent(place: &str) -> &str {
    place.rsplit_once('/').map_or("", |it| it.0)
}

/// The name of the member at a place.
pub(super) fn name(place: &str) -> &str {
    after_last(place, b'/').unwrap_or(place)
}

/// A place counted from the nearest object around both, where `record` is one of the objects around it.
pub(super) fn relative(place: &str, record: &str) -> String {
    let mut around = record;
    loop {
        if let Some(rest) = place.strip_prefix(around).filter(|it| it.starts_with('/')) {
            return rest.to_string();
        }
        if around.is_empty() {
            return place.to_string();
        }
        around = parent(around);
    }
}

impl Leaf {
    pub(super) fn text(&self) -> Option<&str> {
        self.value.as_str()
    }

    pub(super) fn is_url(&self) -> bool {
        self.text().is_some_and(is_url)
    }

    /// Whether its name has one of these words.
    pub(super) fn is_named(&self, words: &[&str]) -> bool {
        has_word(name(&self.place), words)
    }

    /// Whether it may be an id: a number, or a string without spaces that is no URL, date or word for a choice.
    pub(super) fn may_be_id(&self) -> bool {
        match &self.value {
            Value::Number(it) => it.is_u64(),
            Value::String(it) => {
                (1..=512).contains(&it.len())
                    && it.bytes().all(|it| it.is_ascii_graphic())
                    && !is_url(it)
                    && !is_date(it)
            }
            _ => false,
        }
    }
}

pub(super) fn is_url(text: &str) -> bool {
    text.starts_with("https://") || text.starts_with("http://")
}

/// Whether a string begins like a date: `2026-`.
pub(super) fn is_date(text: &str) -> bool {
    let (year, rest) = text.split_at_checked(4).unwrap_or_default();
    year.bytes().all(|it| it.is_ascii_digit()) && rest.starts_with('-') && rest.len() >= 6
}

/// Whether a name, in snake or camel case, has one of these words.
pub(super) fn has_word(name: &str, words: &[&str]) -> bool {
    snake(name)
        .split(|it: char| !it.is_ascii_alphanumeric())
        .any(|it| words.contains(&it))
}
