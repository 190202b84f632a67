//! Finds a key in text: raw, percent-encoded, with the escapes of JSON, and in base64 or base64url
//! at any alignment.
//!
//! Only the whole key is found, compared exactly. The search compares rolling hashes of as many
//! symbols as the key has. It reads a text again only after two hashes were equal. So the search
//! takes equally long for every text of a length, however many of the key's characters a caller has
//! guessed.

use std::ops::Range;

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;

/// The base of the rolling hash: any large odd number.
const BASE: u64 = 0x9e37_79b9_7f4a_7c15;

/// Reads the symbol that begins with a byte, given the text after that byte. Returns the symbol's
/// value and its length in bytes.
trait Reader: Fn(u8, &[u8]) -> (u8, usize) + Copy {}
impl<F: Fn(u8, &[u8]) -> (u8, usize) + Copy> Reader for F {}

pub(super) struct KeySearch {
    key: Vec<u8>,
    key_hash: u64,
    base64: [Base64Form; 3],
    /// The number of characters of base64 that are hashed.
    base64_length: usize,
}

impl KeySearch {
    /// Prepares the search for a key, which is ASCII.
    pub(super) fn new(key: &str) -> Self {
        let key = key.as_bytes().to_vec();
        // Up to 4 bits of the key share a character with a neighbour. At each alignment, all others
        // are in at least so many characters.
        let base64_length = (key.len() * 8).saturating_sub(4) / 6;
        KeySearch {
            key_hash: hash(key.iter().copied()),
            base64: [0, 1, 2].map(|alignment| Base64Form::new(&key, alignment, base64_length)),
            base64_length,
            key,
        }
    }

    /// Returns true if a number's text can contain the key.
    pub(super) fn may_be_in_numbers(&self) -> bool {
        self.key.iter().all(u8::is_ascii_digit)
    }

    /// Returns the bytes of each occurrence of the key, sorted by their start. Occurrences may
    /// overlap or be equal.
    pub(super) fn find(&self, text: &str) -> Vec<Range<usize>> {
        let text = text.as_bytes();
        let mut found = Vec::new();
        if text.len() < self.key.len() {
            return found;
        }
        self.find_decoded(text, plain, &mut found);
        if text.contains(&b'%') {
            self.find_decoded(text, percent_decoded, &mut found);
            self.find_in_escapes(text, percent_decoded, &mut found);
        }
        if text.contains(&b'\\') {
            self.find_decoded(text, json_unescaped, &mut found);
            self.find_in_escapes(text, json_unescaped, &mut found);
        }
        self.find_base64(text, &mut found);
        found.sort_unstable_by_key(|range| range.start);
        found
    }

    /// Returns true if the bytes contain the key unencoded.
    pub(super) fn is_in(&self, bytes: &[u8]) -> bool {
        let mut found = Vec::new();
        if bytes.len() >= self.key.len() {
            self.find_decoded(bytes, plain, &mut found);
        }
        !found.is_empty()
    }

    fn find_decoded(&self, text: &[u8], read: impl Reader, found: &mut Vec<Range<usize>>) {
        for_each_run(text, self.key.len(), read, |hash, range| {
            if hash == self.key_hash
                && text
                    .get(range.clone())
                    .is_some_and(|run| self.is_key(run, read))
            {
                found.push(range);
            }
        });
    }

    /// Finds the keys that begin inside an escape, such as a key that begins with `ab` after
    /// `100%`: the reader takes `%ab` for one symbol.
    fn find_in_escapes(&self, text: &[u8], read: impl Reader, found: &mut Vec<Range<usize>>) {
        let escapes = symbols(text, read)
            .map(|(_, range)| range)
            .filter(|range| range.len() > 1);
        for start in escapes.flat_map(|range| range.start + 1..range.end) {
            let Some(rest) = text.get(start..) else {
                continue;
            };
            // All symbols are hashed, so that a better guess takes no longer.
            let mut length = 0;
            let mut count = 0;
            let mut hash = 0;
            for (value, range) in symbols(rest, read).take(self.key.len()) {
                hash = extended(hash, value);
                length = range.end;
                count += 1;
            }
            if count == self.key.len()
                && hash == self.key_hash
                && self.is_key(&rest[..length], read)
            {
                found.push(start..start + length);
            }
        }
    }

    fn is_key(&self, text: &[u8], read: impl Reader) -> bool {
        symbols(text, read)
            .map(|(value, _)| value)
            .eq(self.key.iter().copied())
    }

    fn find_base64(&self, text: &[u8], found: &mut Vec<Range<usize>>) {
        for_each_run(text, self.base64_length, base64_symbol, |hash, range| {
            for form in self.base64.iter().filter(|form| form.hash == hash) {
                found.extend(form.at_run(text, range.start));
            }
        });
    }
}

/// The characters of base64 that contain a bit of the key, if the key begins at one of three
/// alignments.
struct Base64Form {
    /// The value of each character, and a mask with its bits of the key.
    characters: Vec<(u8, u8)>,
    /// The number of characters before the hashed ones.
    lead: usize,
    /// The hash of the first characters that have only bits of the key.
    hash: u64,
}

impl Base64Form {
    /// Prepares a form. `alignment` is the number of bytes before the key in its group of three.
    fn new(key: &[u8], alignment: usize, hashed: usize) -> Self {
        let encoded = |filler: Vec<u8>| {
            let bytes = [vec![0; alignment], filler].concat();
            STANDARD_NO_PAD
                .encode(bytes)
                .into_bytes()
                .into_iter()
                .filter_map(base64_value)
        };
        // The base64 of ones instead of the key has a one for each bit of the key.
        let masks = encoded(vec![0xff; key.len()]);
        let characters: Vec<_> = encoded(key.to_vec())
            .zip(masks)
            .filter(|(_, mask)| *mask != 0)
            .collect();
        let lead = usize::from(alignment > 0);
        let hash = hash(
            characters
                .iter()
                .skip(lead)
                .take(hashed)
                .map(|(value, _)| *value),
        );
        Base64Form {
            characters,
            lead,
            hash,
        }
    }

    /// Returns the bytes of the key whose hashed characters begin at `run`, or `None` if these are
    /// not the key's.
    fn at_run(&self, text: &[u8], run: usize) -> Option<Range<usize>> {
        let start = run.checked_sub(self.lead)?;
        let range = start..start + self.characters.len();
        let text = text.get(range.clone())?;
        let is_key = text
            .iter()
            .zip(&self.characters)
            .all(|(byte, (value, mask))| {
                // Bits of a neighbour can have any value.
                base64_value(*byte).is_some_and(|found| found & mask == *value)
            });
        is_key.then_some(range)
    }
}

/// Calls `visit` with the hash and the bytes of each run of `length` symbols.
fn for_each_run(
    text: &[u8],
    length: usize,
    read: impl Reader,
    mut visit: impl FnMut(u64, Range<usize>),
) {
    let Some(before_last) = length.checked_sub(1) else {
        return; // an empty run is never found
    };
    let leading_factor = (0..before_last).fold(1, |factor: u64, _| factor.wrapping_mul(BASE));
    let mut last_symbols = symbols(text, read);
    let mut hash = hash(
        last_symbols
            .by_ref()
            .take(before_last)
            .map(|(value, _)| value),
    );
    for ((first, first_range), (last, last_range)) in symbols(text, read).zip(last_symbols) {
        hash = extended(hash, last);
        visit(hash, first_range.start..last_range.end);
        hash = hash.wrapping_sub(leading_factor.wrapping_mul(first.into()));
    }
}

fn hash(symbols: impl Iterator<Item = u8>) -> u64 {
    symbols.fold(0, extended)
}

fn extended(hash: u64, symbol: u8) -> u64 {
    hash.wrapping_mul(BASE).wrapping_add(symbol.into())
}

/// Returns each symbol of a text with its bytes.
fn symbols(text: &[u8], read: impl Reader) -> impl Iterator<Item = (u8, Range<usize>)> {
    let mut start = 0;
    std::iter::from_fn(move || {
        let (first, rest) = text.get(start..)?.split_first()?;
        let (value, length) = read(*first, rest);
        let range = start..start + length;
        start = range.end;
        Some((value, range))
    })
}

fn plain(byte: u8, _: &[u8]) -> (u8, usize) {
    (byte, 1)
}

/// Reads `%2f`.
fn percent_decoded(byte: u8, rest: &[u8]) -> (u8, usize) {
    match (byte, hex_byte(rest)) {
        (b'%', Some(decoded)) => (decoded, 3),
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
    let digit = |byte: u8| char::from(byte).to_digit(16);
    u8::try_from(digit(*high)? * 16 + digit(*low)?).ok()
}

/// Reads a character of base64 as its value, and any other byte as a value that no character has.
fn base64_symbol(byte: u8, _: &[u8]) -> (u8, usize) {
    (base64_value(byte).unwrap_or(u8::MAX), 1)
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
