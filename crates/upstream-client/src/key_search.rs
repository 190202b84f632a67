//! Finds a key in text: raw, percent-encoded, with the escapes of JSON, and in base64 or base64url
//! at any alignment.
//!
//! Only the whole key is found, compared exactly. A caller may choose the text, to guess the key or
//! to keep the gateway busy. So the time of the search depends on the lengths of key and text, and
//! on the encodings that the text may contain. It does not depend on how much of the key is in the
//! text. This is why no crate searches here: the common searches skip more of a text if it contains
//! less of the key, and none of them reads escapes.

use std::ops::Range;

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;

/// Reads the symbol that begins with a byte, given the text after that byte. Returns the symbol's
/// value and its length in bytes, which is at most [`MAX_SYMBOL`].
trait Reader: Fn(u8, &[u8]) -> (u8, usize) {}
impl<F: Fn(u8, &[u8]) -> (u8, usize)> Reader for F {}

/// The length of the longest symbol, such as `\u002f`.
const MAX_SYMBOL: usize = 6;

pub(super) struct KeySearch {
    key: Pattern,
    /// The characters that contain a bit of the key, at each alignment.
    base64: [Pattern; 3],
    has_only_digits: bool,
}

impl KeySearch {
    /// Prepares the search for a key, which is ASCII.
    pub(super) fn new(key: &str) -> Self {
        let key = key.as_bytes();
        KeySearch {
            key: Pattern::new(key.len(), |index, byte| key[index] == byte),
            base64: [0, 1, 2].map(|alignment| base64_pattern(key, alignment)),
            has_only_digits: key.iter().all(u8::is_ascii_digit),
        }
    }

    /// Returns true if a number's text can contain the key.
    pub(super) fn may_be_in_numbers(&self) -> bool {
        self.has_only_digits
    }

    /// Returns the bytes of each occurrence of the key, sorted by their start. Occurrences may
    /// overlap or be equal.
    pub(super) fn find(&self, text: &str) -> Vec<Range<usize>> {
        let text = text.as_bytes();
        let mut found = Vec::new();
        if text.len() < self.key.length {
            return found;
        }
        self.key.find(text, plain, &mut found);
        if text.contains(&b'%') {
            self.key.find(text, percent_decoded, &mut found);
        }
        if text.contains(&b'\\') {
            self.key.find(text, json_unescaped, &mut found);
        }
        for pattern in &self.base64 {
            pattern.find(text, plain, &mut found);
        }
        found.sort_unstable_by_key(|range| range.start);
        found
    }

    /// Returns true if the bytes contain the key unencoded.
    pub(super) fn is_in(&self, bytes: &[u8]) -> bool {
        let mut found = Vec::new();
        self.key.find(bytes, plain, &mut found);
        !found.is_empty()
    }
}

/// A sequence of symbols to search for.
///
/// The search is Shift-And (Baeza-Yates and Gonnet, 1992), from the end of a text to its start. An
/// occurrence may begin at any byte, also inside an escape: a key that begins with `ab` is found in
/// `100%abc`, though `%ab` is an escape. In this direction that needs no second search. Each byte
/// begins exactly one symbol, and the position after the symbol is searched already.
struct Pattern {
    length: usize,
    /// The symbols that each value matches. Each symbol is a bit. The last symbol is the lowest bit
    /// of the first word.
    matches: Vec<[u64; 256]>,
    /// The bit of the first symbol, in the last word.
    first_bit: u64,
}

impl Pattern {
    /// Makes a pattern of `length` symbols. `is_match` receives the index of a symbol and a value.
    fn new(length: usize, is_match: impl Fn(usize, u8) -> bool) -> Self {
        let mut pattern = Pattern {
            length,
            matches: vec![[0; 256]; length.div_ceil(64)],
            first_bit: 0,
        };
        for (from_end, index) in (0..length).rev().enumerate() {
            let bit = 1 << (from_end % 64);
            for value in (0..=u8::MAX).filter(|value| is_match(index, *value)) {
                pattern.matches[from_end / 64][usize::from(value)] |= bit;
            }
            pattern.first_bit = bit;
        }
        pattern
    }

    /// Adds the bytes of each occurrence. Reads each byte once, in a time that only the number of
    /// words determines. An occurrence is read again, to find its end.
    fn find(&self, text: &[u8], read: impl Reader, found: &mut Vec<Range<usize>>) {
        /// The number of positions whose states are kept. A power of two has the fastest remainder.
        const RECENT: usize = (MAX_SYMBOL + 1).next_power_of_two();
        // The bit of a symbol is set if the pattern from that symbol to its end is at the position.
        let mut states = vec![[0_u64; RECENT]; self.matches.len()];
        for (position, byte) in text.iter().enumerate().rev() {
            let (value, length) = read(*byte, &text[position + 1..]);
            let next = position + length;
            let mut carry = 1; // nothing has to follow the last symbol
            let mut state = 0;
            for (recent, matches) in states.iter_mut().zip(&self.matches) {
                let after = recent[next % RECENT];
                state = (after << 1 | carry) & matches[usize::from(value)];
                recent[position % RECENT] = state;
                carry = after >> 63;
            }
            if state & self.first_bit != 0 {
                found.push(position..self.end(text, position, &read));
            }
        }
    }

    fn end(&self, text: &[u8], start: usize, read: &impl Reader) -> usize {
        (0..self.length).fold(start, |position, _| {
            position + read(text[position], &text[position + 1..]).1
        })
    }
}

/// Returns the characters of base64 that contain a bit of the key. `alignment` is the number of
/// bytes before the key in its group of three.
fn base64_pattern(key: &[u8], alignment: usize) -> Pattern {
    // The base64 of ones instead of the key has a one for each bit of the key. Other bits of a
    // character are of the bytes beside the key, and can have any value.
    let masks = base64_values(&vec![0xff; key.len()], alignment);
    let characters: Vec<_> = base64_values(key, alignment)
        .zip(masks)
        .filter(|(_, mask)| *mask != 0)
        .collect();
    Pattern::new(characters.len(), |index, byte| {
        let (value, mask) = characters[index];
        base64_value(byte).is_some_and(|found| found & mask == value)
    })
}

fn base64_values(bytes: &[u8], alignment: usize) -> impl Iterator<Item = u8> + use<> {
    let text = STANDARD_NO_PAD.encode([&[0; 2][..alignment], bytes].concat());
    text.into_bytes().into_iter().filter_map(base64_value)
}

fn plain(byte: u8, _: &[u8]) -> (u8, usize) {
    (byte, 1)
}

/// Reads `%2f`.
fn percent_decoded(byte: u8, rest: &[u8]) -> (u8, usize) {
    match byte {
        b'%' => hex_byte(rest).map_or((byte, 1), |decoded| (decoded, 3)),
        _ => (byte, 1),
    }
}

/// Reads `\u002f`, `\/`, `\\` and `\"`.
fn json_unescaped(byte: u8, rest: &[u8]) -> (u8, usize) {
    match (byte, rest) {
        (b'\\', [b'u', b'0', b'0', digits @ ..]) => {
            hex_byte(digits).map_or((byte, 1), |decoded| (decoded, 6))
        }
        (b'\\', [escaped @ (b'/' | b'\\' | b'"'), ..]) => (*escaped, 2),
        _ => (byte, 1),
    }
}

/// Returns the byte for two hexadecimal digits of either case at the text's start.
fn hex_byte(text: &[u8]) -> Option<u8> {
    let [high, low, ..] = text else { return None };
    let high = char::from(*high).to_digit(16)?;
    let low = char::from(*low).to_digit(16)?;
    u8::try_from(high * 16 + low).ok()
}

/// Returns the six bits for a character of base64 or base64url.
fn base64_value(character: u8) -> Option<u8> {
    match character {
        b'A'..=b'Z' => Some(character - b'A'),
        b'a'..=b'z' => Some(character - b'a' + 26),
        b'0'..=b'9' => Some(character - b'0' + 52),
        b'+' | b'-' => Some(62),
        b'/' | b'_' => Some(63),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::collections::BTreeSet;

    use base64::engine::general_purpose::URL_SAFE_NO_PAD;
    use proptest::prelude::*;

    use super::*;

    /// Returns the ends of the key's occurrences at a position, by reading it in each encoding.
    fn ends_at(key: &[u8], text: &[u8], start: usize) -> Vec<usize> {
        fn end(key: &[u8], text: &[u8], start: usize, read: impl Reader) -> Option<usize> {
            let mut position = start;
            for expected in key {
                let (first, rest) = text.get(position..)?.split_first()?;
                let (value, length) = read(*first, rest);
                if value != *expected {
                    return None;
                }
                position += length;
            }
            Some(position)
        }
        let bits = |byte: u8, count: u32| (0..count).rev().map(move |bit| byte >> bit & 1);
        let end_in_base64 = |alignment: usize| {
            let skipped = alignment * 8 % 6;
            let end = start + (skipped + key.len() * 8).div_ceil(6);
            let values: Option<Vec<u8>> = text
                .get(start..end)?
                .iter()
                .map(|character| base64_value(*character))
                .collect();
            let mut found = values?
                .into_iter()
                .flat_map(|value| bits(value, 6))
                .skip(skipped);
            let mut expected = key.iter().flat_map(|byte| bits(*byte, 8));
            expected.all(|bit| found.next() == Some(bit)).then_some(end)
        };
        let ends = [
            end(key, text, start, plain),
            end(key, text, start, percent_decoded),
            end(key, text, start, json_unescaped),
            end_in_base64(0),
            end_in_base64(1),
            end_in_base64(2),
        ];
        ends.into_iter().flatten().collect()
    }

    /// A key of few different characters, so that parts of it repeat.
    fn any_key() -> impl Strategy<Value = String> {
        prop_oneof![
            "[ab]{1,4}",
            r#"[ab%\\/"u0-2]{1,8}"#,
            r#"[ab%\\/"u0-2]{40,140}"#,
            "[ -~]{16,70}",
        ]
    }

    /// Part of a key, with the characters that `escapes` chooses encoded.
    fn encoded(part: &str, escapes: &[u8]) -> String {
        let escape = |(character, escape): (char, &u8)| match (escape, character) {
            (0, _) => format!("%{:02x}", u32::from(character)),
            (1, _) => format!("\\u{:04X}", u32::from(character)),
            (2, '/' | '\\' | '"') => format!("\\{character}"),
            _ => character.to_string(),
        };
        part.chars()
            .zip(escapes.iter().cycle())
            .map(escape)
            .collect()
    }

    /// Text that repeats whole keys and parts of them in every encoding, and beginnings of escapes.
    fn any_text(key: &str) -> impl Strategy<Value = String> + use<> {
        const LEADS: &[&str] = &[
            "%", "%%", "%2", "%25", "%é", r"\", r"\u", r"\u0", r"\u00", r"\u002", r"\u005c",
        ];
        let whole = key.to_owned();
        let length = key.len();
        let part = prop_oneof![
            2 => Just(whole.clone()),
            1 => (0..=length, 0..=length).prop_map(move |(one, other)| {
                whole[one.min(other)..one.max(other)].to_owned()
            }),
        ];
        // One escape of each kind, or many of one kind, or none.
        let escapes = prop_oneof![
            prop::collection::vec(0..6_u8, 1..8),
            (0..4_u8).prop_map(|escape| vec![escape]),
        ];
        let characters =
            (part.clone(), escapes).prop_map(|(part, escapes)| encoded(&part, &escapes));
        let base64 = ("[ -~]{0,3}", part, "[ -~]{0,3}", any::<bool>()).prop_map(
            |(before, part, after, is_for_urls)| {
                let bytes = [before, part, after].concat();
                match is_for_urls {
                    true => URL_SAFE_NO_PAD.encode(bytes),
                    false => STANDARD_NO_PAD.encode(bytes),
                }
            },
        );
        let lead = prop::sample::select(LEADS).prop_map(str::to_owned);
        let piece = prop_oneof![3 => characters, 1 => base64, 2 => lead, 1 => "[ -~]"];
        prop::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            failure_persistence: None,
            ..ProptestConfig::default()
        })]

        #[test]
        fn exactly_the_occurrences_are_found(
            (key, text) in any_key().prop_flat_map(|key| (Just(key.clone()), any_text(&key)))
        ) {
            let found = KeySearch::new(&key).find(&text);
            prop_assert!(found.is_sorted_by_key(|range| range.start));
            let found: BTreeSet<_> =
                found.into_iter().map(|range| (range.start, range.end)).collect();
            let expected: BTreeSet<_> = (0..text.len())
                .flat_map(|start| {
                    let ends = ends_at(key.as_bytes(), text.as_bytes(), start);
                    ends.into_iter().map(move |end| (start, end))
                })
                .collect();
            prop_assert_eq!(found, expected);
        }
    }

    /// Counts reads instead of the time that they take.
    #[test]
    fn each_byte_is_read_once_whatever_a_text_contains() {
        let key = "ab\\/%25\\u005cab".repeat(32);
        let pattern = KeySearch::new(&key).key;
        let percent: String = key.bytes().map(|byte| format!("%{byte:02x}")).collect();
        let json: String = key.bytes().map(|byte| format!("\\u{byte:04x}")).collect();
        let units = [
            "x",
            "%",
            "%25",
            "%ab",
            "\\",
            "\\u005c",
            "%\\u00",
            &key[1..],
            &key[..key.len() - 1],
            &percent[3..],
            &percent[..percent.len() - 3],
            &json[6..],
            &json[..json.len() - 6],
        ];
        for unit in units {
            let text = format!("{unit} ").repeat(4);
            for read in [plain, percent_decoded, json_unescaped] {
                let reads = Cell::new(0);
                let counted = |byte, rest: &[u8]| {
                    reads.set(reads.get() + 1);
                    read(byte, rest)
                };
                let mut found = Vec::new();
                pattern.find(text.as_bytes(), counted, &mut found);
                assert_eq!((reads.get(), found), (text.len(), Vec::new()), "{unit}");
            }
        }
    }
}
