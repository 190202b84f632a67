//! A JSON parser for texts that programs have cut to a length.

use std::ops::RangeInclusive;

use serde_json::Value;

/// Reads a document. If a text was cut in the middle of a character, U+FFFD replaces the half, as
/// in JavaScript.
///
/// # Errors
/// The first fault of the document, if JavaScript could not read it either.
pub fn parse_json(text: &[u8]) -> serde_json::Result<Value> {
    serde_json::from_slice(text)
        .or_else(|error| serde_json::from_str(&well_formed(text)).map_err(|_| error))
}

/// Returns a document in which U+FFFD replaces invalid UTF-8 and each escape of half a surrogate
/// pair.
fn well_formed(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    let mut result = String::with_capacity(text.len());
    let mut rest = &*text;
    // Only escapes need a look: the lossy conversion has replaced invalid bytes.
    while let Some(at) = rest.find('\\') {
        result.push_str(&rest[..at]);
        let escape = &rest[at..];
        let is_high = is_unit_within(escape, 0xD800..=0xDBFF);
        let low = 0xDC00..=0xDFFF;
        let length;
        if is_high && is_unit_within(&escape[6..], low.clone()) {
            length = 12;
            result.push_str(&escape[..length]);
        } else if is_high || is_unit_within(escape, low) {
            length = 6;
            result.push(char::REPLACEMENT_CHARACTER);
        } else {
            // The escaped character is skipped, so that `\\ud83d` is not read as an escape.
            let mut characters = escape.char_indices();
            length = characters.nth(2).map_or(escape.len(), |(after, _)| after);
            result.push_str(&escape[..length]);
        }
        rest = &escape[length..];
    }
    result.push_str(rest);
    result
}

/// Returns true if a text begins with an escape such as `\u00e9` of a UTF-16 code unit in the
/// range.
fn is_unit_within(text: &str, range: RangeInclusive<u16>) -> bool {
    let digits = text.strip_prefix("\\u").and_then(|rest| rest.get(..4));
    digits
        .and_then(|digits| u16::from_str_radix(digits, 16).ok())
        .is_some_and(|unit| range.contains(&unit))
}

/// Returns a string that is not blank.
pub(super) fn words(value: &Value) -> Option<String> {
    Some(value.as_str()?.to_owned()).filter(|text| !text.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

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
