//! Removes the API key from upstream responses that repeat it.
//!
//! An upstream may repeat a caller's own text. If a text that only resembles the key were changed,
//! each response would tell the caller which guesses are close. So only the whole key is replaced.

use mediagate_access::crypto::Secret;
use mediagate_core::object;
use serde_json::{Map, Value};

use super::key_search::KeySearch;

const MARK: &str = "[redacted]";

/// Has no key if the upstream is a module.
pub(crate) struct Redactor(Option<KeySearch>);

impl Redactor {
    pub(crate) fn new(key: Option<&Secret>) -> Self {
        Redactor(key.map(|key| KeySearch::new(key.expose())))
    }

    pub(crate) fn clean(&self, response: &mut Value) {
        if let Some(search) = &self.0 {
            clean(search, response);
        }
    }

    /// Returns true if the bytes contain the key unencoded.
    pub(crate) fn is_in(&self, bytes: &[u8]) -> bool {
        self.0.as_ref().is_some_and(|search| search.is_in(bytes))
    }
}

fn clean(search: &KeySearch, response: &mut Value) {
    match response {
        Value::String(text) => {
            if let Some(cleaned) = cleaned(search, text) {
                *text = cleaned;
            }
        }
        Value::Number(number) => {
            if search.may_be_in_numbers() && cleaned(search, &number.to_string()).is_some() {
                *response = Value::String(MARK.to_owned());
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| clean(search, item)),
        Value::Object(members) => clean_members(search, members),
        Value::Null | Value::Bool(_) => {}
    }
}

fn clean_members(search: &KeySearch, members: &mut Map<String, Value>) {
    members.values_mut().for_each(|value| clean(search, value));
    if members.keys().any(|name| cleaned(search, name).is_some()) {
        let renamed = std::mem::take(members).into_iter();
        *members =
            object(renamed.map(|(name, value)| (cleaned(search, &name).unwrap_or(name), value)));
    }
}

/// Returns the text with a mark instead of each occurrence of the key, or `None` if the key is not
/// in the text.
fn cleaned(search: &KeySearch, text: &str) -> Option<String> {
    let found = search.find(text);
    if found.is_empty() {
        return None;
    }
    let mut cleaned = String::new();
    let mut end = 0;
    for range in found {
        // An occurrence that overlaps the one before is covered by its mark.
        if range.start >= end {
            cleaned.push_str(text.get(end..range.start).unwrap_or_default());
            cleaned.push_str(MARK);
        }
        end = end.max(range.end);
    }
    cleaned.push_str(text.get(end..).unwrap_or_default());
    Some(cleaned)
}

#[cfg(test)]
mod tests {
    use base64::Engine;
    use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
    use serde_json::json;

    use super::*;

    /// Contains each character that some encoding escapes, and each that base64 and base64url write
    /// differently nearby.
    const KEY: &str = "sk-Canary_01234?>>/+\"\\x";

    fn cleaned(value: &Value) -> Value {
        let mut cleaned = value.clone();
        Redactor::new(Some(&Secret::new(KEY))).clean(&mut cleaned);
        cleaned
    }

    #[test]
    fn the_key_is_found_in_bytes() {
        let redactor = Redactor::new(Some(&Secret::new(KEY)));
        let beside = [b"\xff\xfe ".as_slice(), KEY.as_bytes(), b"\n"].concat();
        assert!(redactor.is_in(&beside));
        assert!(!redactor.is_in(&KEY.as_bytes()[1..]));
        assert!(!redactor.is_in(&[b"\xff".as_slice(), &KEY.as_bytes()[1..], b"  "].concat()));
    }

    /// Cleans a text as a string, as a member's name and inside longer values; all must agree.
    fn cleaned_text(text: &str) -> String {
        let everywhere = cleaned(&json!([text, {"a": [{text: 1}]}]));
        let result = everywhere[0].as_str().expect("a string").to_owned();
        assert_eq!(everywhere, json!([result, {"a": [{&result: 1}]}]), "{text}");
        result
    }

    fn assert_unchanged(value: &Value) {
        assert_eq!(*value, cleaned(value));
    }

    fn percent_escape(byte: u8) -> String {
        if byte.is_ascii_lowercase() {
            format!("%{byte:02x}")
        } else {
            format!("%{byte:02X}")
        }
    }

    fn json_escape(byte: u8) -> String {
        match byte {
            b'\\' | b'"' => format!("\\{}", char::from(byte)),
            _ if byte.is_ascii_lowercase() => format!("\\u{byte:04x}"),
            _ => format!("\\u{byte:04X}"),
        }
    }

    /// Writes the key, and escapes each byte for which `is_escaped` returns true.
    fn escaped(escape: fn(u8) -> String, is_escaped: impl Fn(usize, u8) -> bool) -> String {
        let write = |(at, byte)| {
            if is_escaped(at, byte) {
                escape(byte)
            } else {
                char::from(byte).to_string()
            }
        };
        KEY.bytes().enumerate().map(write).collect()
    }

    #[test]
    fn only_the_key_is_replaced_in_every_encoding_of_characters() {
        let needs_escape_in_json = |byte| matches!(byte, b'"' | b'\\');
        let mut forms = vec![
            KEY.to_owned(),
            serde_json::to_string(KEY)
                .expect("a string")
                .trim_matches('"')
                .to_owned(),
            KEY.replace('\\', "\\\\")
                .replace('"', "\\\"")
                .replace('/', "\\/"),
            escaped(percent_escape, |_, byte| !byte.is_ascii_alphanumeric()),
            escaped(|byte| format!("\\u{byte:04x}"), |_, _| true),
            escaped(|byte| format!("\\u{byte:04X}"), |_, _| true),
            escaped(|byte| format!("%{byte:02x}"), |_, _| true),
        ];
        // The bits of a number choose the characters, so that any subset may occur.
        for subset in (0..1_u32 << KEY.len()).step_by(4_093) {
            let is_chosen = move |at: usize| subset >> at & 1 == 1;
            forms.push(escaped(percent_escape, |at, _| is_chosen(at)));
            forms.push(escaped(json_escape, |at, byte| {
                is_chosen(at) || needs_escape_in_json(byte)
            }));
        }
        for form in &forms {
            for (before, after) in [
                ("", ""),
                ("Bearer ", " is wrong"),
                ("é", "é"),
                ("%", "%4"),
                ("\\\\", "\\u00"),
            ] {
                let expected = format!("{before}{MARK}{after}");
                assert_eq!(cleaned_text(&format!("{before}{form}{after}")), expected);
            }
        }
        assert_eq!(
            cleaned_text(&format!("{KEY}{KEY}, {}", forms[3])),
            "[redacted][redacted], [redacted]"
        );
    }

    #[test]
    fn a_key_is_found_after_what_reads_as_the_beginning_of_an_escape() {
        let key = "abcdef12+/=34567";
        let percent = "abcdef12%2B%2F%3D34567";
        let json: String = key.bytes().map(|byte| format!("\\u{byte:04x}")).collect();
        for (before, form) in [
            ("100%", percent),
            ("%4", percent),
            ("%%4", percent),
            ("\\u00", "abcdef12+\\/=34567"),
            ("\\u00", "abcdef12\\u002b/=34567"),
            ("\\u000", "abcdef12+\\/=34567"),
            ("\\", &json),
            ("\\\\\\", &json),
        ] {
            let mut value = json!(format!("{before}{form} is wrong"));
            Redactor::new(Some(&Secret::new(key))).clean(&mut value);
            assert_eq!(value, json!(format!("{before}{MARK} is wrong")), "{before}");
        }
    }

    /// The base64 of text around the key, with a mark instead of the characters that have a bit of
    /// the key.
    fn marked(encoded: &str, before: usize, after: usize) -> String {
        let start = before * 8 / 6;
        let end = ((before + KEY.len()) * 8).div_ceil(6);
        assert_eq!(
            encoded.len(),
            ((before + KEY.len() + after) * 8).div_ceil(6)
        );
        format!("{}{MARK}{}", &encoded[..start], &encoded[end..])
    }

    #[test]
    fn only_the_key_is_replaced_in_base64_at_every_alignment() {
        for before in ["", "a", "ab", "abc", "\u{0}", "\u{7f}\u{7f}", "Bearer "] {
            for after in ["", "\u{0}", "z", "zz", "\u{7f}\u{7f}\u{7f}"] {
                let text = format!("{before}{KEY}{after}");
                for encoded in [STANDARD_NO_PAD.encode(&text), URL_SAFE_NO_PAD.encode(&text)] {
                    let expected = marked(&encoded, before.len(), after.len());
                    assert_eq!(cleaned_text(&encoded), expected);
                    // The place at which the encoded text begins in a string makes no difference.
                    for lead in ["x", "xy", "data:;base64,"] {
                        assert_eq!(
                            cleaned_text(&format!("{lead}{encoded}==")),
                            format!("{lead}{expected}==")
                        );
                    }
                }
            }
        }
    }

    /// Texts that miss the key by one character, or by its case.
    fn near_misses() -> Vec<String> {
        let mut texts = vec![
            KEY.to_uppercase(),
            KEY.to_lowercase(),
            KEY.chars().rev().collect(),
        ];
        for at in 0..KEY.len() {
            texts.push(KEY[..at].to_owned());
            texts.push(KEY[at + 1..].to_owned());
            texts.push(format!("{}{}", &KEY[..at], &KEY[at + 1..]));
            texts.push(format!("{} {}", &KEY[..at], &KEY[at..]));
            for bit in 0..7 {
                let mut bytes = KEY.as_bytes().to_vec();
                bytes[at] ^= 1 << bit;
                texts.push(String::from_utf8(bytes).expect("ASCII"));
            }
        }
        // At the ends of the key, an added space or a removed empty piece leaves the whole key.
        texts.retain(|text| !text.contains(KEY));
        texts
    }

    #[test]
    fn whatever_lacks_a_bit_of_the_key_stays_in_every_encoding() {
        for text in near_misses() {
            let mut forms = vec![
                text.clone(),
                serde_json::to_string(&text).expect("a string"),
            ];
            forms.push(text.bytes().map(|byte| format!("%{byte:02x}")).collect());
            forms.push(text.bytes().map(|byte| format!("\\u{byte:04x}")).collect());
            for before in ["", "a", "ab"] {
                for after in ["", "z", "zz"] {
                    forms.push(STANDARD_NO_PAD.encode(format!("{before}{text}{after}")));
                    forms.push(URL_SAFE_NO_PAD.encode(format!("{before}{text}{after}")));
                }
            }
            for form in forms {
                assert_eq!(cleaned_text(&form), form, "{text}");
            }
        }
    }

    #[test]
    fn other_encodings_and_nested_ones_stay() {
        let hex: String = KEY.bytes().map(|byte| format!("{byte:02x}")).collect();
        let html: String = KEY.bytes().map(|byte| format!("&#{byte};")).collect();
        let percent: String = KEY.bytes().map(|byte| format!("%{byte:02x}")).collect();
        assert_unchanged(&json!([hex, html, percent.replace('%', "%25")]));
    }

    /// Guesses the key after a known prefix, like a caller whose text the upstream repeats.
    #[test]
    fn a_caller_learns_nothing_from_thousands_of_guesses() {
        let characters = || (b'!'..=b'~').map(char::from);
        for known in [0, 8, KEY.len() - 2] {
            let guesses: Vec<_> = characters()
                .flat_map(|first| {
                    characters().map(move |second| format!("{}{first}{second}", &KEY[..known]))
                })
                .filter(|guess| guess != KEY)
                .flat_map(|guess| [STANDARD_NO_PAD.encode(&guess), guess])
                .collect();
            assert!(guesses.len() > 17_000);
            assert_unchanged(&json!({"message": guesses.join(","), "echo": guesses}));
        }
        let found = cleaned(&json!({"message": format!("{}, {KEY}", &KEY[..8])}));
        assert_eq!(found, json!({"message": "sk-Canar, [redacted]"}));
    }

    #[test]
    fn a_number_that_contains_a_key_of_digits_is_replaced() {
        let mut value =
            json!([1234567890123456_u64, {"a": 912345678901234560_u64}, 123456789012345_u64, -1.5]);
        Redactor::new(Some(&Secret::new("1234567890123456"))).clean(&mut value);
        assert_eq!(value, json!([MARK, {"a": MARK}, 123456789012345_u64, -1.5]));
    }

    #[test]
    fn occurrences_that_overlap_have_one_mark() {
        let mut value = json!(["a".repeat(40), "a".repeat(19)]);
        Redactor::new(Some(&Secret::new("a".repeat(20)))).clean(&mut value);
        assert_eq!(value, json!([MARK, "a".repeat(19)]));
    }

    #[test]
    fn everything_else_stays() {
        assert_unchanged(&json!({
            "a": "100%", "b": "%zz%4", "c": "sk-", "d": "C:\\users\\x%41\\u00",
            "é": ["ü%", 5, null, true],
            "f": "AT&T &amp; &copy;", "g": "", "h": "\u{1f600}".repeat(20),
        }));
    }
}
