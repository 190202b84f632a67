//! Finds pieces of a key in text.

/// A piece of this many characters of letters and digits is in no honest text by chance.
const WIDTH: usize = 8;
/// The same for hexadecimal digits, of which ids and hashes are made, too.
const HEX_WIDTH: usize = 12;
/// Shortest key that is searched for in pieces, in characters; half of a shorter one could be a word.
const MIN_SPLIT_LEN: usize = 20;

/// All pieces of a key that have one width, in lower case. Wherever the key is cut in two, one of them remains whole.
pub(super) struct Pieces {
    pub(super) width: usize,
    /// The whole key, where it is short.
    whole: Option<Vec<u8>>,
    /// The bytes of each piece as a number, sorted.
    sorted: Vec<u128>,
}

impl Pieces {
    pub(super) fn new(key: &str) -> Self {
        let key = key.to_ascii_lowercase().into_bytes();
        if key.len() < MIN_SPLIT_LEN {
            return Pieces { width: key.len(), whole: Some(key), sorted: Vec::new() };
        }
        let is_hex = key.iter().all(|it| it.is_ascii_hexdigit() || *it == b'-');
        let width = if is_hex { HEX_WIDTH.min(key.len().div_ceil(2)) } else { WIDTH };
        let mut sorted: Vec<_> = key.windows(width).map(|it| it.iter().fold(0, push)).collect();
        sorted.sort_unstable();
        Pieces { width, whole: None, sorted }
    }

    /// Whether a piece is in the text, which is in lower case.
    pub(super) fn appear_in(&self, text: &[u8]) -> bool {
        if let Some(whole) = &self.whole {
            return text.windows(self.width).any(|it| it == whole);
        }
        let mask = (1 << (8 * self.width)) - 1;
        let mut window = 0;
        text.iter().enumerate().any(|(at, byte)| {
            window = push(window, byte) & mask;
            at + 1 >= self.width && self.sorted.binary_search(&window).is_ok()
        })
    }
}

fn push(window: u128, byte: &u8) -> u128 {
    window << 8 | u128::from(*byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(key: &str, text: &str) -> bool {
        Pieces::new(key).appear_in(text.as_bytes())
    }

    #[test]
    fn a_short_key_is_found_whole_alone() {
        assert!(found("Word-and-number-9", "a word-and-number-9 b"));
        assert!(!found("Word-and-number-9", "word-and-number"));
    }

    #[test]
    fn every_piece_of_the_width_is_found_at_any_place_and_no_shorter_one() {
        for (key, width) in
            [("abcdefghijklmnopqrstuvwxyz", 8), ("0123456789abcdef-0123456789abcdef", 12), ("0123456789abcdef0123", 10)]
        {
            for at in 0..=key.len() - width {
                let piece = &key[at..at + width];
                assert!(found(key, piece) && found(key, &format!("/{piece}/")), "{piece}");
                assert!(!found(key, &piece[1..]) && !found(key, &format!("{}/", &piece[1..])), "{piece}");
            }
        }
    }
}
