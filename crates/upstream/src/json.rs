//! A JSON parser for documents that are almost JSON, because a paid create must not be lost for a
//! character.

use std::ops::RangeInclusive;

use serde_json::Value;

/// Reads a document. Half a character at a cut becomes U+FFFD, as in JavaScript. Any other fault of
/// the document is an error.
pub fn parse_json(text: &[u8]) -> serde_json::Result<Value> {
    parse(text, Reading::Strict)
}

/// Like [`parse_json`], but `NaN` and `Infinity` become `null`, and a string may have line breaks.
pub fn parse_response(text: &[u8]) -> serde_json::Result<Value> {
    parse(text, Reading::Tolerant)
}

#[derive(Clone, Copy, PartialEq)]
enum Reading {
    Strict,
    Tolerant,
}

fn parse(text: &[u8], reading: Reading) -> serde_json::Result<Value> {
    serde_json::from_slice(text)
        .or_else(|error| serde_json::from_str(&well_formed(text, reading)).map_err(|_| error))
}

/// Words that Python and JavaScript write for numbers that JSON has not. They become `null`.
const NO_NUMBERS: [&str; 3] = ["-Infinity", "Infinity", "NaN"];

/// Returns a document in which U+FFFD replaces invalid UTF-8 and each escape of half a surrogate
/// pair. A tolerant reading also replaces control characters in strings by escapes, and
/// [`NO_NUMBERS`] by `null`.
fn well_formed(text: &[u8], reading: Reading) -> String {
    let is_tolerant = reading == Reading::Tolerant;
    let text = String::from_utf8_lossy(text);
    let mut result = String::with_capacity(text.len());
    let mut rest = &*text;
    let mut in_string = false;
    while let Some(letter) = rest.chars().next() {
        let length = match letter {
            '\\' if in_string => push_escape(&mut result, rest),
            letter if is_tolerant && in_string && letter.is_control() => {
                result.push_str(&format!("\\u{:04x}", u32::from(letter)));
                letter.len_utf8()
            }
            _ => {
                let word = NO_NUMBERS.iter().find(|word| rest.starts_with(*word));
                match word.filter(|_| is_tolerant && !in_string) {
                    Some(word) => {
                        result.push_str("null");
                        word.len()
                    }
                    None => {
                        in_string ^= letter == '"';
                        result.push(letter);
                        letter.len_utf8()
                    }
                }
            }
        };
        rest = &rest[length..];
    }
    result
}

/// Copies the escape at the beginning of a text, or U+FFFD for half a surrogate pair. Returns the
/// length of the escape in bytes.
fn push_escape(result: &mut String, text: &str) -> usize {
    let low = 0xDC00..=0xDFFF;
    let is_high = is_unit_within(text, 0xD800..=0xDBFF);
    if is_high && is_unit_within(&text[6..], low.clone()) {
        result.push_str(&text[..12]);
        return 12;
    }
    if is_high || is_unit_within(text, low) {
        result.push(char::REPLACEMENT_CHARACTER);
        return 6;
    }
    // The escaped character is copied as well, so that `\\ud83d` is not read as an escape.
    let length = text
        .char_indices()
        .nth(2)
        .map_or(text.len(), |(after, _)| after);
    result.push_str(&text[..length]);
    length
}

/// Returns true if a text begins with an escape such as `\u00e9` of a UTF-16 code unit in the
/// range.
fn is_unit_within(text: &str, range: RangeInclusive<u16>) -> bool {
    let digits = text.strip_prefix("\\u").and_then(|rest| rest.get(..4));
    digits
        .and_then(|digits| u16::from_str_radix(digits, 16).ok())
        .is_some_and(|unit| range.contains(&unit))
}

/// Returns a string that is not blank, or the digits of a number.
pub(crate) fn identifier(value: &Value) -> Option<String> {
    mediagate_core::Value::identifier(&value)
}

/// Returns a string that is not blank.
pub(crate) fn words(value: &Value) -> Option<String> {
    Some(value.as_str()?.to_owned()).filter(|text| !text.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn numbers_that_json_has_not_are_null_and_a_string_may_have_line_breaks() {
        for (text, value) in [
            ("{\"a\": NaN, \"id\": \"t\"}", json!({"a": null, "id": "t"})),
            ("[Infinity, -Infinity, -1]", json!([null, null, -1])),
            (
                "{\"a\": \"x\ny\t\", \"b\": NaN}",
                json!({"a": "x\ny\t", "b": null}),
            ),
            ("[\"NaN \\\" Infinity\n\"]", json!(["NaN \" Infinity\n"])),
        ] {
            assert!(parse_json(text.as_bytes()).is_err(), "{text}");
            assert_eq!(parse_response(text.as_bytes()).ok(), Some(value), "{text}");
        }
        for text in ["[NaNa]", "NaN NaN", "{NaN: 1}", "[1\u{1}]"] {
            assert!(parse_response(text.as_bytes()).is_err(), "{text}");
        }
    }

    #[test]
    fn text_that_was_cut_within_a_character_is_read() {
        for (text, value) in [
            (
                &br#"{"prompt":"a \ud83d"}"#[..],
                json!({"prompt": "a \u{fffd}"}),
            ),
            (br#"{"prompt":"\uDE00 b"}"#, json!({"prompt": "\u{fffd} b"})),
            (
                br#"["\ud83d\ud83d\ude00\ude00"]"#,
                json!(["\u{fffd}😀\u{fffd}"]),
            ),
            (br#"["\ud83d\\ude00"]"#, json!(["\u{fffd}\\ude00"])),
            (br#"["\\ud83d \ud83d\n"]"#, json!(["\\ud83d \u{fffd}\n"])),
            (br#"{"\udbff":1}"#, json!({"\u{fffd}": 1})),
            (
                b"[\"\xf0\x9f\x98 \\\"\xc3\"]",
                json!(["\u{fffd} \"\u{fffd}"]),
            ),
        ] {
            assert_eq!(
                parse_json(text).ok(),
                Some(value),
                "{}",
                String::from_utf8_lossy(text)
            );
        }
        for text in [
            &br#"["\ud83"]"#[..],
            br#"["\ud83d"#,
            br#"["\ud83d\"#,
            br#"["\ud83d\u12"]"#,
            br#"["\"#,
            b"[\xff]",
            br#"[\ud83d]"#,
        ] {
            assert!(
                parse_json(text).is_err(),
                "{}",
                String::from_utf8_lossy(text)
            );
        }
    }
}
