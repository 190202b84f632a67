//! Descriptions of an exchange for a person. They contain no secrets, and no characters that
//! control a terminal.

use mediagate_core::ids::snake;
use mediagate_upstream::parse_response;
use serde_json::{Map, Value};

/// The most characters of a body that are shown.
const MAX_CHARS: usize = 600;
/// The parts of names of secret members.
const SECRETS: [&str; 13] = [
    "auth",
    "sign",
    "policy",
    "credential",
    "token",
    "secret",
    "apikey",
    "api_key",
    "accesskey",
    "access_key",
    "passw",
    "cookie",
    "session",
];
/// The shortest string without a space that may be a key or a signature.
const MIN_DENSE_LEN: usize = 32;
pub(super) const SHOWN_HEADERS: [&str; 3] = ["content-type", "content-length", "accept"];

pub(super) fn shown_response(status: u16, text: &str) -> String {
    let body = match parse_response(text.as_bytes()) {
        Ok(value) => shown_json(&value),
        Err(_) if text.is_empty() => "(no body)".to_string(),
        Err(_) => cut(&printable(&masked(text))),
    };
    format!("HTTP {status}\n  {body}")
}

pub(super) fn shown_text(text: &str) -> String {
    cut(&printable(&masked(text)))
}

pub(super) const HIDDEN: &str = "…";

/// Writes JSON on one line, without its secrets.
pub(super) fn shown_json(value: &Value) -> String {
    cut(&printable(&hidden("", value).to_string()))
}

/// Returns the value without its secrets. Everything below a secret name is secret.
fn hidden(name: &str, value: &Value) -> Value {
    let is_secret = is_secret(name);
    match value {
        Value::Object(members) => {
            let mut shown = Map::new();
            let pair_name = members.get("name").or_else(|| members.get("key"));
            let is_pair = pair_name.is_some_and(Value::is_string);
            for (key, value) in members {
                let value = match key.to_ascii_lowercase().as_str() {
                    // `{name, value}` of a header or a field.
                    "value" if is_pair => HIDDEN.into(),
                    key if SHOWN_HEADERS.contains(&key) => value.clone(),
                    _ if is_secret => hidden(name, value),
                    _ => hidden(key, value),
                };
                shown.insert(key.clone(), value);
            }
            Value::Object(shown)
        }
        Value::Array(items) => items.iter().map(|item| hidden(name, item)).collect(),
        Value::Null | Value::Bool(_) => value.clone(),
        _ if is_secret => HIDDEN.into(),
        Value::String(text) => masked(text).into(),
        Value::Number(_) => value.clone(),
    }
}

fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase().replace('-', "_");
    // Headers and form fields may give access to the storage.
    SECRETS.into_iter().any(|secret| name.contains(secret))
        || has_word(&name, &["header", "headers", "field", "fields", "form"])
}

/// Masks the parts of a string that may be secret: URLs after their host, queries, and long words
/// after their start.
fn masked(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for piece in text.split_inclusive(is_end_of_word) {
        let word = piece.strip_suffix(is_end_of_word).unwrap_or(piece);
        shown.push_str(&masked_word(word));
        shown.push_str(&piece[word.len()..]);
    }
    shown
}

fn is_end_of_word(letter: char) -> bool {
    letter.is_whitespace() || "\"'<>(),;".contains(letter)
}

fn masked_word(word: &str) -> String {
    if word.contains("://") {
        return hidden_url(word);
    }
    let (word, has_query) = match word.split_once('?') {
        Some((before, query)) if query.contains('=') => (before, true),
        _ => (word, false),
    };
    if word.chars().count() >= MIN_DENSE_LEN {
        let start: String = word.chars().take(8).collect();
        return start + HIDDEN;
    }
    let hidden = if has_query { HIDDEN } else { "" };
    [word, hidden].concat()
}

pub(super) fn without_query(url: &str) -> String {
    match url.split_once(['?', '#']) {
        Some((path, _)) => format!("{path}?{HIDDEN}"),
        None => url.to_string(),
    }
}

/// Returns the origin of a URL whose query, path or user may give access.
pub(super) fn hidden_url(url: &str) -> String {
    let origin = origin(url);
    let origin = match origin.split_once('@') {
        Some((_, host)) => format!("{HIDDEN}@{host}"),
        None => origin.to_string(),
    };
    if url.len() > origin.len() + 1 {
        format!("{origin}/{HIDDEN}")
    } else {
        origin
    }
}

/// Escapes control characters, and characters that change the direction of a line.
pub(super) fn printable(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for letter in text.chars() {
        let is_format = matches!(
            letter,
            '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{feff}'
        );
        if letter.is_control() || is_format {
            shown.extend(letter.escape_unicode());
        } else {
            shown.push(letter);
        }
    }
    shown
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => {
            format!(
                "{}{HIDDEN} ({} characters)",
                text.get(..end).unwrap_or_default(),
                text.chars().count()
            )
        }
        None => text.to_string(),
    }
}

fn has_word(name: &str, words: &[&str]) -> bool {
    snake(name)
        .split(|letter: char| !letter.is_ascii_alphanumeric())
        .any(|word| words.contains(&word))
}

fn origin(url: &str) -> &str {
    let start = url.find("://").map_or(0, |index| index + 3);
    let end = url
        .get(start..)
        .and_then(|rest| rest.find(['/', '?', '#', '\\']))
        .map_or(url.len(), |length| length + start);
    url.get(..end).unwrap_or(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_not_shown() {
        let body = r#"{"data": {"upload_url": "https://s/u?X-Signature=canary", "token": "canary",
            "headers": {"x-amz-canary": "canary"}, "note": "canarycanarycanarycanarycanaryca",
            "fields": [{"name": "policy", "value": "canary"}], "id": "f-1"}}"#;
        let shown = shown_response(200, body);
        assert!(
            shown.contains("f-1") && shown.contains("https://s/"),
            "{shown}"
        );
        let rest = shown.replace("x-amz-canary", "").replace("canaryca…", "");
        assert!(!rest.contains("canary"), "{shown}");
        assert_eq!(shown_text("a\u{1b}[31m"), "a\\u{1b}[31m");
    }
}
