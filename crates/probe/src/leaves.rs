//! A walk over the values of a response, each with its place.

use serde_json::Value;

use mediagate_core::ids::snake;
use mediagate_core::text::after_last;

/// The levels of nesting that are searched.
const MAX_DEPTH: usize = 8;
/// The largest number of values that are read from one response.
const MAX_VALUES: usize = 5000;
/// The longest name of a member that is read. A place is written to a file, and people read it.
const MAX_NAME_LEN: usize = 64;

/// A string, a number or a boolean, with its place.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Leaf {
    /// A JSON Pointer from the outermost value.
    pub(super) place: String,
    pub(super) value: Value,
}

/// Returns every leaf of a value.
pub(super) fn leaves(value: &Value) -> Vec<Leaf> {
    let mut found = Vec::new();
    each(value, &mut |place, inner| {
        if !inner.is_object() && !inner.is_array() && !inner.is_null() {
            found.push(Leaf {
                place: place.to_string(),
                value: inner.clone(),
            });
        }
    });
    found
}

/// Visits every value within, with its place. Visits an object or a list before its members.
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
    let mut inner = |place: &str, value: &Value| {
        let may_go_on = *left > 0;
        if may_go_on {
            *left -= 1;
            walk(value, place, depth - 1, left, visit);
        }
        may_go_on
    };
    // `all` stops at the first value for which nothing is left of the budget.
    let _ = match value {
        Value::Array(items) => items
            .iter()
            .enumerate()
            .all(|(index, item)| inner(&format!("{place}/{index}"), item)),
        Value::Object(members) => members
            .iter()
            .filter(|member| is_name(member.0))
            .all(|(name, value)| inner(&joined(place, name), value)),
        _ => true,
    };
}

/// Returns true if a person can read and write a member's name.
fn is_name(name: &str) -> bool {
    name.len() <= MAX_NAME_LEN
        && name
            .bytes()
            .all(|byte| byte == b' ' || byte.is_ascii_graphic())
}

/// Returns the place of a member, with the escapes of a JSON Pointer.
pub(super) fn joined(place: &str, name: &str) -> String {
    format!("{place}/{}", name.replace('~', "~0").replace('/', "~1"))
}

/// Returns the place of the object or list around a place.
pub(super) fn parent(place: &str) -> &str {
    place.rsplit_once('/').map_or("", |(parent, _)| parent)
}

/// Returns the name of the member at a place.
pub(super) fn name(place: &str) -> &str {
    after_last(place, b'/').unwrap_or(place)
}

/// Returns a place relative to `record`, or to the nearest object around `record` that also
/// contains the place.
pub(super) fn relative(place: &str, record: &str) -> String {
    let mut around = record;
    loop {
        if let Some(rest) = place
            .strip_prefix(around)
            .filter(|rest| rest.starts_with('/'))
        {
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

    /// Returns true if its name has one of these words.
    pub(super) fn is_named(&self, words: &[&str]) -> bool {
        has_word(name(&self.place), words)
    }

    /// Returns true if it may be an id: a number, or a string without spaces that is neither a URL
    /// nor a date.
    pub(super) fn may_be_id(&self) -> bool {
        match &self.value {
            Value::Number(number) => number.is_u64(),
            Value::String(text) => {
                (1..=512).contains(&text.len())
                    && text.bytes().all(|byte| byte.is_ascii_graphic())
                    && !is_url(text)
                    && !is_date(text)
            }
            _ => false,
        }
    }
}

pub(super) fn is_url(text: &str) -> bool {
    text.starts_with("https://") || text.starts_with("http://")
}

/// Returns true if a string begins like a date: `2026-`.
pub(super) fn is_date(text: &str) -> bool {
    let (year, rest) = text.split_at_checked(4).unwrap_or_default();
    year.bytes().all(|byte| byte.is_ascii_digit()) && rest.starts_with('-') && rest.len() >= 6
}

/// Returns true if a name, in snake or camel case, has one of these words.
pub(super) fn has_word(name: &str, words: &[&str]) -> bool {
    snake(name)
        .split(|letter: char| !letter.is_ascii_alphanumeric())
        .any(|word| words.contains(&word))
}
