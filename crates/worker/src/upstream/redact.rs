//! Removes the API key from upstream responses that repeat it.

use std::borrow::Cow;

use base64::Engine;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use serde_json::{Map, Value};

use super::pieces::{Coverage, Pieces};
use crate::crypto::Secret;

/// Replaces the key.
const MARK: &str = "[redacted]";

/// No shorter string contains anything that is searched for, unless the key is shorter still.
const MIN_FOUND_LEN: usize = 8;
/// How many nested encodings are decoded.
const MAX_DECODINGS: usize = 4;

/// The named entities of HTML that stand for visible ASCII characters other than letters and digits.
const ENTITIES: [(&str, u8); 46] = [
    ("excl", b'!'),
    ("quot", b'"'),
    ("QUOT", b'"'),
    ("num", b'#'),
    ("dollar", b'$'),
    ("percnt", b'%'),
    ("amp", b'&'),
    ("AMP", b'&'),
    ("apos", b'\''),
    ("lpar", b'('),
    ("rpar", b')'),
    ("ast", b'*'),
    ("midast", b'*'),
    ("plus", b'+'),
    ("comma", b','),
    ("period", b'.'),
    ("sol", b'/'),
    ("colon", b':'),
    ("semi", b';'),
    ("lt", b'<'),
    ("LT", b'<'),
    ("equals", b'='),
    ("gt", b'>'),
    ("GT", b'>'),
    ("quest", b'?'),
    ("commat", b'@'),
    ("lsqb", b'['),
    ("lbrack", b'['),
    ("bsol", b'\\'),
    ("rsqb", b']'),
    ("rbrack", b']'),
    ("Hat", b'^'),
    ("lowbar", b'_'),
    ("UnderBar", b'_'),
    ("grave", b'`'),
    ("DiacriticalGrave", b'`'),
    ("lcub", b'{'),
    ("lbrace", b'{'),
    ("verbar", b'|'),
    ("vert", b'|'),
    ("VerticalLine", b'|'),
    ("rcub", b'}'),
    ("rbrace", b'}'),
    // Not ASCII, and drawn alike: some escape functions write them for it.
    ("hyphen", b'-'),
    ("dash", b'-'),
    ("minus", b'-'),
];

/// Finds a key in text: raw, in pieces, percent-encoded, with the escapes of JSON and of HTML, in hex, and in base64 at any
/// alignment.
pub(crate) struct Redactor {
    raw: String,
    pieces: Pieces,
    /// Compared in lower case, as is `hex`.
    lower: String,
    hex: String,
    base64: Vec<String>,
}

impl Redactor {
    /// A redactor of this key.
    pub(crate) fn new(key: &Secret) -> Self {
        let key = key.expose();
        Redactor {
            raw: key.to_owned(),
            pieces: Pieces::new(key),
            lower: key.to_ascii_lowercase(),
            hex: key.bytes().map(|it| format!("{it:02x}")).collect(),
            base64: base64_forms(key.as_bytes()),
        }
    }

    /// Replaces the key in every string and every member's name of a response, at any depth.
    pub(crate) fn clean(&self, response: &mut Value) {
        let mut found = self.pieces.nothing_found();
        self.find_pieces(response, &mut found);
        let with_pieces = self.pieces.are_half(&found);
        self.clean_value(response, with_pieces);
    }

    /// Adds the pieces of the key that are in any string or name.
    fn find_pieces(&self, value: &Value, found: &mut Coverage) {
        let mut find = |text: &str| {
            any_reading(text, |it| {
                self.pieces.find(it, found);
                false
            });
        };
        match value {
            Value::String(text) => find(text),
            Value::Number(number) => find(&number.to_string()),
            Value::Array(items) => items.iter().for_each(|it| self.find_pieces(it, found)),
            Value::Object(members) => {
                members.keys().for_each(|it| find(it));
                members.values().for_each(|it| self.find_pieces(it, found));
            }
            Value::Null | Value::Bool(_) => {}
        }
    }

    /// Replaces the key, and with `with_pieces` also what contains a piece of it.
    fn clean_value(&self, value: &mut Value, with_pieces: bool) {
        let cleaned = |text: &str| self.cleaned(text, with_pieces);
        match value {
            Value::String(text) => {
                if let Some(clean) = cleaned(text) {
                    *text = clean;
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|it| self.clean_value(it, with_pieces)),
            Value::Object(members) => {
                members.values_mut().for_each(|it| self.clean_value(it, with_pieces));
                if members.keys().any(|it| cleaned(it).is_some()) {
                    let renamed = std::mem::take(members).into_iter();
                    *members = renamed.map(|(name, it)| (cleaned(&name).unwrap_or(name), it)).collect::<Map<_, _>>();
                }
            }
            // A number can contain the key as well as a string can.
            Value::Number(number) if cleaned(&number.to_string()).is_some() => *value = Value::String(MARK.into()),
            _ => {}
        }
    }

    /// The text without the key, where the key is in it.
    fn cleaned(&self, text: &str, with_pieces: bool) -> Option<String> {
        if text.contains(&self.raw) {
            let replaced = text.replace(&self.raw, MARK);
            return Some(self.cleaned(&replaced, with_pieces).unwrap_or(replaced));
        }
        // Where an encoding or a piece begins and ends is unknown, so the whole string is replaced.
        any_reading(text, |it| self.appears_in(it, with_pieces)).then(|| MARK.to_owned())
    }

    fn appears_in(&self, text: &str, with_pieces: bool) -> bool {
        // The shortest that can be in it is a piece, or a short key.
        if text.len() < MIN_FOUND_LEN.min(self.raw.len()) {
            return false;
        }
        let strip = |dropped: fn(char) -> bool| text.chars().filter(|it| !dropped(*it)).collect::<String>();
        let lower = text.to_ascii_lowercase();
        let digits = || strip(|it| it.is_whitespace() || matches!(it, ':' | '-' | ',')).to_ascii_lowercase();
        let unbroken = strip(char::is_whitespace);
        with_pieces && self.pieces.appear_in(text)
            // In any case of its letters.
            || lower.contains(&self.lower)
            || lower.contains(&self.hex)
            // Written in groups or lines, as hex dumps are.
            || digits().contains(&self.hex)
            || self.base64.iter().any(|it| unbroken.contains(it))
    }
}

/// Whether a test is true of a string, or of what it is once its encodings are decoded. One that nests more of them than
/// any honest response counts as one of which it is true.
fn any_reading(text: &str, mut test: impl FnMut(&str) -> bool) -> bool {
    let mut reading = Cow::Borrowed(text);
    for _ in 0..MAX_DECODINGS {
        if test(&reading) {
            return true;
        }
        match decoded(&reading) {
            Some(inner) => reading = Cow::Owned(inner),
            None => return false,
        }
    }
    true
}

/// What the base64 of any text around the key must contain, for each of the three alignments of the key. Characters that
/// share bits with a neighbour are left out.
fn base64_forms(key: &[u8]) -> Vec<String> {
    let mut forms = Vec::new();
    for shift in 0..3 {
        let mut bytes = vec![0; shift];
        bytes.extend_from_slice(key);
        let first = [0, 2, 3][shift];
        let last = bytes.len() * 8 / 6;
        for engine in [&STANDARD_NO_PAD, &URL_SAFE_NO_PAD] {
            forms.extend(engine.encode(&bytes).get(first..last).map(str::to_owned));
        }
    }
    forms
}

/// The text with `%2f`, `\u002f`, `\x2f`, `\/`, `&#x2f;`, `&#47;` and `&sol;` decoded; `None` where there are none.
fn decoded(text: &str) -> Option<String> {
    if !text.contains(['%', '\\', '&']) {
        return None;
    }
    let bytes = text.as_bytes();
    let mut plain = Vec::with_capacity(bytes.len());
    let (mut at, mut found) = (0, false);
    while let Some(byte) = bytes.get(at) {
        let (value, length) = escape(text, at).unwrap_or((*byte, 1));
        found |= length > 1;
        plain.push(value);
        at += length;
    }
    found.then(|| String::from_utf8_lossy(&plain).into_owned())
}

/// The byte that the escape at this offset stands for, and the escape's length. A key is ASCII, so one byte is enough.
fn escape(text: &str, at: usize) -> Option<(u8, usize)> {
    let number = |from: usize, digits: usize| u8::from_str_radix(text.get(at + from..at + from + digits)?, 16).ok();
    match text.as_bytes().get(at..)? {
        [b'%', ..] => Some((number(1, 2)?, 3)),
        [b'\\', b'u', b'0', b'0', ..] => Some((number(4, 2)?, 6)),
        [b'\\', b'x', ..] => Some((number(2, 2)?, 4)),
        [b'\\', escaped @ (b'/' | b'\\'), ..] => Some((*escaped, 2)),
        [b'&', ..] => entity(text.get(at..)?),
        _ => None,
    }
}

/// The byte that the HTML entity at the text's start stands for, and the entity's length. The semicolon may be missing, as
/// browsers allow.
fn entity(text: &str) -> Option<(u8, usize)> {
    let rest = text.get(1..)?;
    let (value, length) = match rest.strip_prefix('#') {
        Some(number) => {
            let (digits, radix) = number.strip_prefix(['x', 'X']).map_or((number, 10), |it| (it, 16));
            let count = digits.bytes().take_while(|it| char::from(*it).is_digit(radix)).count();
            let value = u8::from_str_radix(digits[..count].trim_start_matches('0'), radix).ok()?;
            (value, 1 + number.len() - digits.len() + count)
        }
        None => {
            let (name, value) = ENTITIES.iter().filter(|it| rest.starts_with(it.0)).max_by_key(|it| it.0.len())?;
            (*value, name.len())
        }
    };
    Some((value, 1 + length + usize::from(rest[length..].starts_with(';'))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const KEY: &str = "sk-Canary_0123456789/+x";

    fn hidden(text: String) -> bool {
        let mut value = json!({"message": text.clone(), "nested": [{text: 1}]});
        Redactor::new(&Secret::new(KEY)).clean(&mut value);
        let printed = value.to_string();
        printed.matches(MARK).count() >= 2 && !printed.contains(KEY)
    }

    #[test]
    fn every_form_of_the_key_is_found() {
        assert!(hidden(format!("Bearer {KEY} is wrong")));
        assert!(hidden(format!("{KEY}{KEY}")));
        let hex: String = KEY.bytes().map(|it| format!("{it:02X}")).collect();
        assert!(hidden(format!("0x{hex}!")));
        assert!(hidden(KEY.bytes().map(|it| format!("%{it:02x}")).collect()));
        assert!(hidden(KEY.replace('/', "%2F").replace('+', "%2b")));
        assert!(hidden(mixed_case(&hex)));
        assert!(hidden(KEY.to_uppercase()) && hidden(mixed_case(KEY)));
        for between in [" ", ":", "-", ", ", "\n"] {
            let dump: Vec<_> = KEY.bytes().map(|it| format!("{it:02x}")).collect();
            assert!(hidden(dump.join(between)), "{between:?}");
        }
        assert!(hidden(in_lines(&STANDARD_NO_PAD.encode(format!("key: {KEY}.")))));
        let percent: String = KEY.bytes().map(|it| format!("%{it:02x}")).collect();
        assert!(hidden(percent.replace('%', "%25")) && hidden(percent.replace('%', "%2525")));
        assert!(hidden(percent.replace('%', "%252525252525")));
        assert!(hidden(KEY.bytes().map(|it| format!("\\u{it:04X}")).collect()));
        assert!(hidden(KEY.bytes().map(|it| format!("\\\\x{it:02x}")).collect()));
        assert!(hidden(KEY.replace('/', "\\/")));
        for (slash, plus) in [("&#x2F;", "&#x2b;"), ("&#47;", "&#43;"), ("&sol;", "&plus;"), ("&#0047", "&#X00002B")] {
            let escaped = KEY.replace('/', slash).replace('+', plus);
            assert!(hidden(escaped.clone()), "{escaped}");
            assert!(hidden(escaped.replace('&', "&amp;")), "{escaped}, escaped twice");
            assert!(hidden(escaped.replace('&', "\\u0026").replace(';', "%3B")), "{escaped}, in JSON");
        }
        assert!(hidden(KEY.bytes().map(|it| format!("&#{it};")).collect()));
        assert!(hidden(KEY.bytes().map(|it| format!("&#x{it:x}")).collect()));
        assert!(hidden(KEY.replace('/', "&#47").replace('+', "&#43")), "without semicolons");
        assert!(hidden(STANDARD_NO_PAD.encode(KEY).replace('/', "%2F").replace('+', "%2B")));
        for cut in 1..KEY.len() {
            let mut pieces = json!({"a": &KEY[..cut], "b": {"c": [&KEY[cut..]]}});
            Redactor::new(&Secret::new(KEY)).clean(&mut pieces);
            assert!(pieces.to_string().contains(MARK), "{cut}");
        }
        let thirds = json!({"a": &KEY[..8], "b": [format!("{:?}", &KEY[8..16])], "c": {&KEY[15..]: "-"}, "d": "other"});
        let mut cleaned = thirds.clone();
        Redactor::new(&Secret::new(KEY)).clean(&mut cleaned);
        assert_eq!(cleaned, json!({"a": MARK, "b": [MARK], "c": {MARK: "-"}, "d": "other"}));
        for before in ["", "a", "ab", "abc", "Bearer "] {
            for after in ["", "z", "zz", "zzz"] {
                let text = format!("{before}{KEY}{after}");
                assert!(hidden(STANDARD_NO_PAD.encode(&text)), "{text}");
                assert!(hidden(URL_SAFE_NO_PAD.encode(&text)), "{text}");
            }
        }
    }

    fn in_lines(text: &str) -> String {
        text.as_bytes().chunks(10).map(|it| String::from_utf8_lossy(it).into_owned() + "\r\n").collect()
    }

    fn mixed_case(text: &str) -> String {
        let upper =
            |(at, it): (usize, char)| if at % 2 == 0 { it.to_ascii_uppercase() } else { it.to_ascii_lowercase() };
        text.chars().enumerate().map(upper).collect()
    }

    #[test]
    fn a_short_key_is_found_whole_in_any_case() {
        let mut value = json!({"a": "see WORD-and-number-9.", "b": "word-and-number", "c": "word%2Dand%2dnumber-9"});
        Redactor::new(&Secret::new("Word-and-number-9")).clean(&mut value);
        assert_eq!(value, json!({"a": MARK, "b": "word-and-number", "c": MARK}));
    }

    #[test]
    fn a_number_that_contains_the_key_is_replaced() {
        let mut value = json!([1234567890123456_u64, {"a": 912345678901234560_u64}, 123456789012345_u64, -1.5]);
        Redactor::new(&Secret::new("1234567890123456")).clean(&mut value);
        assert_eq!(value, json!([MARK, {"a": MARK}, 123456789012345_u64, -1.5]));
    }

    #[test]
    fn an_escape_ends_where_the_text_goes_on() {
        for (text, plain) in [
            ("a&#47b;", "a/b;"),
            ("a&#047;b", "a/b"),
            ("&#x2Fg", "/g"),
            ("&#X2f;;", "/;"),
            ("&#9a", "\ta"),
            ("&solx", "/x"),
            ("&sol;&#47", "//"),
            ("%2Ff", "/f"),
            ("\\u002Ff", "/f"),
            ("\\x2Ff", "/f"),
            ("\\/f", "/f"),
        ] {
            assert_eq!(decoded(text).as_deref(), Some(plain), "{text}");
        }
    }

    #[test]
    fn base64_of_all_but_the_keys_end_stays() {
        for before in ["", "a", "ab"] {
            let other = format!("{before}{}9", &KEY[..KEY.len() - 1]);
            let value = json!([STANDARD_NO_PAD.encode(&other), URL_SAFE_NO_PAD.encode(&other)]);
            let mut cleaned = value.clone();
            Redactor::new(&Secret::new(KEY)).clean(&mut cleaned);
            assert_eq!(value, cleaned, "{other}");
        }
    }

    #[test]
    fn everything_else_stays() {
        let value = json!({"a": "100%", "b": "%zz%4", "c": "sk-", "d": "C:\\users\\x%41\\u00", "é": ["ü%", 5, null, true], "f": "AT&T &amp; &copy; &#; &#x; &#300; &nosuch; &", "g": "anary_0", "h": "Canary_0 is a piece that a caller may have guessed"});
        let mut cleaned = value.clone();
        Redactor::new(&Secret::new(KEY)).clean(&mut cleaned);
        assert_eq!(value, cleaned);
    }
}
