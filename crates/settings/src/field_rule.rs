//! Rules for the names and values of fields that the document does not list.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldRule {
    /// The setting names the field, which may have any value.
    Named,
    /// The model names the field, and lists the value.
    Listed,
    /// The model names the field, which may have a text that can't be an address.
    Model,
    /// The setting allows any name. The name and all values at any depth must be plain.
    Any,
}

/// Parts of a name that may hold an address.
const ADDRESS_PARTS: [&str; 18] = [
    "url",
    "uri",
    "href",
    "link",
    "callback",
    "hook",
    "postback",
    "redirect",
    "endpoint",
    "notif",
    "address",
    "hostname",
    "domain",
    "website",
    "proxy",
    "email",
    "listener",
    "destination",
];

/// Names that scripts take for more than a member.
const RESERVED_NAMES: [&str; 3] = ["__proto__", "constructor", "prototype"];

/// The longest name or text under `*`, in bytes.
const MAX_PLAIN_LENGTH: usize = 64;

/// The most dots in a word that is no address. An IPv4 address has three.
const MAX_DOTS: usize = 2;

/// The most digits on either side of a dot or a colon in a plain text. An IPv4 address may be
/// written as one long number.
const MAX_PART_DIGITS: usize = 5;

/// The most parts of a time: hours, minutes and seconds.
const MAX_TIME_PARTS: usize = 3;

/// The longest number under `*`, in characters.
const MAX_NUMBER_LENGTH: usize = 32;

/// Schemes of addresses. Some readers take them without slashes, too.
const SCHEMES: [&str; 8] = [
    "http:",
    "https:",
    "ws:",
    "wss:",
    "ftp:",
    "file:",
    "data:",
    "javascript:",
];

impl FieldRule {
    pub fn takes(self, name: &str) -> bool {
        match self {
            FieldRule::Named => true,
            FieldRule::Listed | FieldRule::Model => !is_reserved(name) && !may_name_address(name),
            FieldRule::Any => is_plain_name(name) && !is_reserved(name) && !may_name_address(name),
        }
    }

    /// Returns true if a number, which is JSON, is sent on.
    pub fn takes_number(self, number: &str) -> bool {
        self != FieldRule::Any
            || number.len() <= MAX_NUMBER_LENGTH && number.parse().is_ok_and(f64::is_finite)
    }

    /// Returns true if a text is sent on in a field whose name is not the name of an id.
    pub fn takes_text(self, text: &str) -> bool {
        match self {
            FieldRule::Named | FieldRule::Listed => true,
            FieldRule::Model => !may_be_address(text),
            FieldRule::Any => is_plain_text(text),
        }
    }
}

fn is_reserved(name: &str) -> bool {
    RESERVED_NAMES
        .iter()
        .any(|reserved| name.eq_ignore_ascii_case(reserved))
}

/// Returns true if a name may name an address, with or without separators between its letters.
fn may_name_address(name: &str) -> bool {
    let lower = name.to_lowercase();
    let letters: String = lower.chars().filter(char::is_ascii_alphabetic).collect();
    // Short parts are in too many names once the separators are gone, as in `hour_limit`.
    ADDRESS_PARTS
        .iter()
        .any(|part| lower.contains(part) || part.len() > 4 && letters.contains(part))
}

fn is_plain_name(name: &str) -> bool {
    name.len() <= MAX_PLAIN_LENGTH
        && name.starts_with(|first: char| first.is_ascii_alphabetic())
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}

/// Returns true if a text has only words and numbers, such as `slow motion`, `16:9` and `1.5`. No
/// host name, address, URL, path or JSON has this form.
fn is_plain_text(text: &str) -> bool {
    let mut words = text.split([' ', '_', '-']).filter(|word| !word.is_empty());
    text.len() <= MAX_PLAIN_LENGTH
        && text.bytes().any(|byte| byte.is_ascii_alphanumeric())
        && words.all(is_plain_word)
        && !text.eq_ignore_ascii_case("localhost")
}

/// Returns true if a word has only letters and digits, or is a number with a dot, a ratio or a
/// time.
fn is_plain_word(word: &str) -> bool {
    let is_hexadecimal = word.starts_with("0x") || word.starts_with("0X");
    if let Some((before, after)) = word.split_once('.') {
        return is_number(before) && is_number(after);
    }
    if word.contains(':') {
        return word.split(':').count() <= MAX_TIME_PARTS && word.split(':').all(is_number);
    }
    !is_hexadecimal && word.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

fn is_number(part: &str) -> bool {
    (1..=MAX_PART_DIGITS).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns true if a reader may take a text for an address, or for JSON, which may contain one.
fn may_be_address(text: &str) -> bool {
    // Parsers of URLs ignore line breaks and tabs.
    let read = text
        .chars()
        .filter(|letter| !matches!(letter, '\n' | '\r' | '\t'))
        .map(ascii_look_alike);
    let read = read.collect::<String>().to_lowercase();
    let read = read.trim();
    read.contains(char::is_control)
        || read.starts_with(['{', '[', '/'])
        || read.contains("//")
        || read.contains('\\')
        || has_scheme(read)
        || is_like_host(read)
}

/// Returns true if a text has a scheme as a separate word, with something after it.
fn has_scheme(text: &str) -> bool {
    for scheme in SCHEMES {
        for (at, _) in text.match_indices(scheme) {
            let is_within_word = text[..at].ends_with(char::is_alphanumeric);
            let after = &text[at + scheme.len()..];
            if !is_within_word && !after.is_empty() && !after.starts_with(char::is_whitespace) {
                return true;
            }
        }
    }
    false
}

/// Returns true if a text is one word with a dot before a letter, or with as many dots as an IPv4
/// address.
fn is_like_host(text: &str) -> bool {
    let is_word = !text.contains(char::is_whitespace);
    let mut labels = text.split('.').skip(1);
    let has_name = labels.any(|label| label.starts_with(char::is_alphabetic));
    is_word && (has_name || text.matches('.').count() > MAX_DOTS)
}

/// Returns the ASCII character that a reader may take a similar character for. Returns a control
/// character for an invisible one.
fn ascii_look_alike(letter: char) -> char {
    match letter {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(letter) - 0xfee0).unwrap_or(letter),
        '\u{3002}' | '\u{ff61}' | '\u{2024}' | '\u{fe52}' => '.',
        '\u{2044}' | '\u{2215}' => '/',
        '\u{fe55}' | '\u{fe13}' | '\u{a789}' | '\u{2236}' => ':',
        '\u{29f5}' | '\u{2216}' | '\u{fe68}' => '\\',
        '\u{17f}' => 's',
        '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}' => '\0',
        _ => letter,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_takes_plain_names_that_are_not_those_of_addresses() {
        let longest = "a".repeat(64);
        for name in [
            "seed",
            "Motion",
            "camera-move_2",
            "hour_limit",
            "x",
            &longest,
        ] {
            assert!(FieldRule::Any.takes(name), "{name}");
        }
        let too_long = "a".repeat(65);
        for name in [
            "",
            "_a",
            "2d",
            "-a",
            "a.b",
            "a b",
            "a\n",
            "é",
            "\u{430}",
            "\u{ff41}",
            "\u{17f}eed",
            "a\u{200b}",
            "__proto__",
            "constructor",
            "Prototype",
            "imageUrl",
            "CALLBACK",
            "uri",
            "link",
            "postback",
            "re-direct",
            "call_back",
            "web_hook",
            "notification",
            "email",
            &too_long,
        ] {
            assert!(
                !FieldRule::Any.takes(name) && FieldRule::Named.takes(name),
                "{name}"
            );
        }
    }

    #[test]
    fn any_takes_short_plain_words() {
        let longest = "a".repeat(64);
        for text in [
            "soft",
            "slow motion",
            "16:9",
            "1.5",
            "00:01:30",
            "-0",
            "true",
            "a_b-c 9",
            "1920x1080",
            "v2",
            "12:30 to 13:00",
            &longest,
        ] {
            assert!(FieldRule::Any.takes_text(text), "{text}");
        }
        let too_long = "a".repeat(65);
        for text in [
            "",
            " ",
            "-",
            "https://evil.example",
            "https:evil.example",
            "//evil.example",
            "evil.example",
            "a.b",
            "a:b",
            "1.b",
            "a.1",
            "1:a",
            ".5",
            "5.",
            "1..5",
            "10.0.0.1",
            "1:2:3:4",
            "::1",
            "a/b",
            "\\",
            "{\"id\":1}",
            "[1]",
            "\"",
            "a\nb",
            "a\tb",
            "a\0",
            "é",
            "\u{ff11}",
            "\u{212a}",
            "\u{17f}",
            "1\u{2024}5",
            "a@b",
            "%2f",
            "a+b",
            "127.1:8080",
            "2130706433:80",
            "127.0.1",
            "0x7f000001",
            "localhost",
            "LOCALHOST",
            &too_long,
        ] {
            assert!(!FieldRule::Any.takes_text(text), "{text:?}");
        }
    }

    #[test]
    fn a_field_of_the_model_takes_texts_that_are_no_addresses() {
        for text in [
            "",
            "a soft light: warm, 4k. No people.",
            "profile: side; the data: none",
            "16:9",
            "v1.5",
            "\"Hello\", he said",
            "line one\nline two",
            "Straße, 東京。夜",
            "and/or",
            "flux.1",
        ] {
            assert!(FieldRule::Model.takes_text(text), "{text:?}");
        }
        for text in [
            "https://evil.example",
            "https:evil.example",
            " //evil.example",
            "//evil.example",
            "see HTTP:evil",
            "ht\ntps:evil.example",
            "evil.example",
            "evil.example/a",
            "a@evil.example",
            "10.0.0.1",
            "/etc/passwd",
            "\\\\evil",
            "{\"id\": \"f-2\"}",
            "[\"f-2\"]",
            "\u{ff48}ttps\u{ff1a}evil",
            "http\u{17f}:evil",
            "evil\u{3002}example",
            "evil\u{2024}example",
            "/\u{2044}evil",
            "ht\u{200b}tps:evil",
            "a\0",
        ] {
            assert!(
                !FieldRule::Model.takes_text(text) && FieldRule::Listed.takes_text(text),
                "{text:?}"
            );
        }
    }

    #[test]
    fn a_number_is_finite_and_short() {
        for number in ["1e400", "1e999999999", &"9".repeat(33)] {
            assert!(!FieldRule::Any.takes_number(number), "{number}");
            assert!(FieldRule::Named.takes_number(number), "{number}");
        }
        assert!(
            FieldRule::Any.takes_number("18446744073709551615")
                && FieldRule::Any.takes_number("-0.25")
        );
    }
}
