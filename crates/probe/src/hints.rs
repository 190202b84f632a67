//! The names of required members in a refusal.

use serde_json::Value;

use super::leaves::{has_word, joined, name};

/// The names of members that name a field, in an object that describes a problem.
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
/// The names of lists that name a field part by part, as in `["body", "file", "name"]`.
const PART_LISTS: [&str; 2] = ["loc", "path"];
/// The largest number of names that are read from one refusal.
const MAX_NAMES: usize = 16;
/// The first parts of a list or a path that stand for the body itself.
const BODY: [&str; 4] = ["body", "$", "data", "request"];

/// Returns the members of the body that a refusal names, as JSON Pointers: first the names in its
/// data, then the names in its messages.
pub(super) fn named(refusal: &Value) -> Vec<String> {
    let mut found = Vec::new();
    let mut quoted = Vec::new();
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
        // A single word is a reason or a code, not a message.
        Value::String(text) if text.contains(' ') => {
            let mut words = in_quotes(text);
            if words.is_empty() {
                words = compound(text);
            }
            quoted.extend(words.into_iter().filter_map(pointer));
        }
        Value::Array(parts)
            if PART_LISTS.contains(&key)
                && !parts.is_empty()
                && parts.iter().all(Value::is_string) =>
        {
            let parts: Vec<_> = parts.iter().filter_map(Value::as_str).collect();
            found.extend(pointer(&parts.join(".")));
        }
        Value::Array(items) => items
            .iter()
            .for_each(|item| collect(item, key, found, quoted)),
        Value::Object(members) => members
            .iter()
            .for_each(|(key, value)| collect(value, key, found, quoted)),
        _ => {}
    }
}

/// Converts a field's path in any notation (`file.name`, `/file/name`, `files[0].name`, `$.name`)
/// to a JSON Pointer.
fn pointer(path: &str) -> Option<String> {
    let parts: Vec<&str> = path
        .split(['.', '/', '[', ']'])
        .filter(|part| !part.is_empty())
        .collect();
    let parts = match parts.split_first() {
        Some((first, rest)) if !rest.is_empty() && BODY.contains(first) => rest,
        _ => &parts,
    };
    let is_name = |part: &&str| {
        part.len() <= 64
            && part
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte))
    };
    let is_path = !parts.is_empty() && parts.len() <= 4 && parts.iter().all(is_name);
    is_path.then(|| {
        parts
            .iter()
            .fold(String::new(), |place, part| joined(&place, part))
    })
}

/// Returns the texts that a message has in quotes of any kind.
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

/// Returns the words of a message that are likely names: they have an underscore, or a capital
/// letter after a small one.
fn compound(message: &str) -> Vec<&str> {
    let words =
        message.split(|letter: char| !letter.is_ascii_alphanumeric() && !"_.".contains(letter));
    let is_compound = |word: &&str| {
        let has_capital = word
            .as_bytes()
            .windows(2)
            .any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase());
        word.len() > 2 && (word.trim_matches('_').contains('_') || has_capital)
    };
    words
        .map(|word| word.trim_matches('.'))
        .filter(is_compound)
        .collect()
}

/// The placeholders in order of precedence, each with the words in names that mean it.
pub(super) type Vocabulary = &'static [(&'static str, &'static [&'static str])];

/// Returns the placeholder that a name stands for, by the words in it.
pub(super) fn placeholder(place: &str, vocabulary: Vocabulary) -> Option<&'static str> {
    let last = mediagate_core::ids::snake(name(place));
    let has = |word: &&str| has_word(&last, &[word]) || last.len() <= 12 && last.contains(word);
    vocabulary
        .iter()
        .find(|(_, words)| words.iter().any(has))
        .map(|(placeholder, _)| *placeholder)
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
