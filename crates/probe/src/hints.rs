//! What a refusal says about the members that a body must have.

use serde_json::Value;

use super::leaves::{joined, name};

/// Members that name a field, in an object that describes a problem.
const FIELD_NAMES: [&str; 10] = [
    "path",
    "field",
    "name",
    "param",
    "parameter",
    "property",
    "key",
    "pointer",
    "location",
    "fieldPath",
];
/// Lists that name a field part by part, as in `["body", "file", "name"]`.
const PART_LISTS: [&str; 2] = ["loc", "path"];
/// The most names that are read of one refusal.
const MAX_NAMES: usize = 16;
/// What such a list or a path begins with that is no part of the body.
const BODY: [&str; 4] = ["body", "$", "data", "request"];

/// The members of the body that a refusal names, as JSON Pointers: those that its data name first, then those in quotes
/// in its messages.
pub(super) fn named(refusal: &Value) -> Vec<String> {
    let (mut found, mut quoted) = (Vec::new(), Vec::new());
    collect(refusal, "", &mut found, &mut quoted);
    found.append(&mut quoted);
    let mut unique = Vec::new();
    for place in found {
        if !unique.contains(&place) && unique.len() < MAX_NAMES {
            unique.push(place);
        }
    }
    unique
}

fn collect(value: &Value, key: &str, found: &mut Vec<String>, quoted: &mut Vec<String>) {
    match value {
        Value::String(text) if FIELD_NAMES.contains(&key) => found.extend(pointer(text)),
        // A word alone is a reason or a code, not a message.
        Value::String(text) if text.contains(' ') => {
            let words = in_quotes(text);
            quoted.extend(
                if words.is_empty() {
                    compound(text)
                } else {
                    words
                }
                .into_iter()
                .filter_map(pointer),
            );
        }
        Value::Array(parts)
            if PART_LISTS.contains(&key)
                && !parts.is_empty()
                && parts.iter().all(Value::is_string) =>
        {
            let parts: Vec<_> = parts.iter().filter_map(Value::as_str).collect();
            found.extend(pointer(&parts.join(".")));
        }
        Value::Array(items) => items.iter().for_each(|it| collect(it, key, found, quoted)),
        Value::Object(members) => members
            .iter()
            .for_each(|(key, it)| collect(it, key, found, quoted)),
        _ => {}
    }
}

/// A field's path in any notation (`file.name`, `/file/name`, `files[0].name`, `$.name`) as a JSON Pointer.
fn pointer(path: &str) -> Option<String> {
    let parts: Vec<&str> = path
        .split(['.', '/', '[', ']'])
        .filter(|it| !it.is_empty())
        .collect();
    let parts = match parts.split_first() {
        Some((first, rest)) if !rest.is_empty() && BODY.contains(first) => rest,
        _ => &parts,
    };
    let is_name = |it: &&str| {
        it.len() <= 64
            && it
                .bytes()
                .all(|it| it.is_ascii_alphanumeric() || b"_-".contains(&it))
    };
    let is_path = !parts.is_empty() && parts.len() <= 4 && parts.iter().all(is_name);
    is_path.then(|| {
        parts
            .iter()
            .fold(String::new(), |place, it| joined(&place, it))
    })
}

/// What a message has in quotes of any kind.
fn in_quotes(message: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for (open, close) in [('`', '`'), ('\'', '\''), ('"', '"'), ('“', '”'), ('‘', '’')] {
        let mut rest = message;
        while let Some((_, after)) = rest.split_once(open) {
            let Some((inner, after)) = after.split_once(close) else {
                break;
            };
            found.push(inner);
            rest = after;
        }
    }
    found
}

/// Words of a message that no language has: with an underscore, or a capital letter within.
fn compound(message: &str) -> Vec<&str> {
    let words = message.split(|it: char| !it.is_ascii_alphanumeric() && !"_.".contains(it));
    let is_compound = |it: &&str| {
        let has_capital = it
            .as_bytes()
            .windows(2)
            .any(|it| it[0].is_ascii_lowercase() && it[1].is_ascii_uppercase());
        it.len() > 2 && (it.trim_matches('_').contains('_') || has_capital)
    };
    words
        .map(|it| it.trim_matches('.'))
        .filter(is_compound)
        .collect()
}

/// The words in a name that mean a placeholder, in order of precedence.
pub(super) type Vocabulary = &'static [(&'static str, &'static [&'static str])];

/// The placeholder that a name stands for, by the words in it.
pub(super) fn placeholder(place: &str, vocabulary: Vocabulary) -> Option<&'static str> {
    let last = mediagate_core::ids::snake(name(place));
    let has = |word: &&str| {
        last.split(|it: char| !it.is_ascii_alphanumeric())
            .any(|it| it == *word)
            || (last.len() <= 12 && last.contains(*word))
    };
    vocabulary
        .iter()
        .find(|it| it.1.iter().any(has))
        .map(|it| it.0)
}

#[cfg(test)]
mod tests {

    use serde_json::json;

    use super::*;

    #[test]
    fn fields_are_named_in_many_ways() {
        let cases = [
            (
                json!({ "data": { "errors": [{ "path": "mimeKind", "message": "is required" }] } }),
                vec!["/mimeKind"],
            ),
            (
                json!({ "message": "invalid input: `file.name` is required" }),
                vec!["/file/name"],
            ),
            (
                json!({ "detail": [{ "loc": ["body", "blob", "size"], "msg": "Field required" }] }),
                vec!["/blob/size"],
            ),
            (
                json!({ "errors": [{ "pointer": "/files/0/name" }] }),
                vec!["/files/0/name"],
            ),
            (
                json!({ "message": "missing byte_length and mimeType" }),
                vec!["/byte_length", "/mimeType"],
            ),
            (json!({ "message": "invalid input" }), vec![]),
            (json!(null), vec![]),
        ];
        for (refusal, places) in cases {
            assert_eq!(named(&refusal), places, "{refusal}");
        }
    }
}
