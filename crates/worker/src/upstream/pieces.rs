//! Finds pieces of a key in a response.
//!
//! A single piece says nothing: it may be there by chance, and a caller whose own text upstream repeats could find the key
//! by guessing it piece by piece, if each right guess were redacted. So pieces count only where together they are half of
//! the key, which no one guesses at once.

/// The length of a piece that is searched for, in characters.
const WIDTH: usize = 8;
/// Shortest key that is searched for in pieces, in characters.
const MIN_SPLIT_LEN: usize = 20;

/// All pieces of a key that have one width, compared without regard to case; none of a short key.
pub(super) struct Pieces {
    /// Characters of the key.
    length: usize,
    /// The bytes of each piece as a number, and where it begins, sorted.
    sorted: Vec<(u64, usize)>,
}

/// Which characters of a key were found.
pub(super) struct Coverage(Vec<bool>);

impl Pieces {
    pub(super) fn new(key: &str) -> Self {
        let (key, length) = (key.to_ascii_lowercase().into_bytes(), key.len());
        let pieces = key.windows(WIDTH).enumerate().filter(|_| length >= MIN_SPLIT_LEN);
        let mut sorted: Vec<_> = pieces.map(|(at, it)| (it.iter().fold(0, push), at)).collect();
        sorted.sort_unstable();
        Pieces { length, sorted }
    }

    pub(super) fn nothing_found(&self) -> Coverage {
        Coverage(vec![false; self.length])
    }

    /// Adds the pieces that are in a string.
    pub(super) fn find(&self, text: &str, found: &mut Coverage) {
        for window in windows(text) {
            let first = self.sorted.partition_point(|it| it.0 < window);
            let same = self.sorted[first..].iter().take_while(|it| it.0 == window);
            same.for_each(|it| found.0[it.1..it.1 + WIDTH].fill(true));
        }
    }

    /// Whether half of the key was found.
    pub(super) fn are_half(&self, found: &Coverage) -> bool {
        !self.sorted.is_empty() && found.0.iter().filter(|it| **it).count() >= self.length / 2
    }

    /// Whether a piece is in the string.
    pub(super) fn appear_in(&self, text: &str) -> bool {
        windows(text).any(|it| self.sorted.binary_search_by_key(&it, |it| it.0).is_ok())
    }
}

/// Every piece of a string, as a number.
fn windows(text: &str) -> impl Iterator<Item = u64> {
    let all = text.bytes().scan(0, |window, byte| {
        *window = push(*window, &byte.to_ascii_lowercase());
        Some(*window)
    });
    all.skip(WIDTH - 1)
}

/// The last characters of a string as a number, with one more: eight fill it.
fn push(window: u64, byte: &u8) -> u64 {
    window << 8 | u64::from(*byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "abcdefghijklmnopqrstuvwxyz";

    fn is_half(key: &str, texts: &[&str]) -> bool {
        let pieces = Pieces::new(key);
        let mut found = pieces.nothing_found();
        texts.iter().for_each(|it| pieces.find(it, &mut found));
        pieces.are_half(&found)
    }

    #[test]
    fn a_short_key_has_no_pieces() {
        let pieces = Pieces::new("Word-and-number-9");
        assert!(!pieces.appear_in("word-and-number-9") && !is_half("Word-and-number-9", &["Word-and-number-9"]));
    }

    #[test]
    fn every_piece_is_found_at_any_place_and_no_shorter_one() {
        let pieces = Pieces::new(KEY);
        for at in 0..=KEY.len() - WIDTH {
            let piece = &KEY[at..at + WIDTH];
            assert!(pieces.appear_in(piece) && pieces.appear_in(&format!("/{}/", piece.to_uppercase())), "{piece}");
            assert!(!pieces.appear_in(&piece[1..]) && !pieces.appear_in(&format!("{}/", &piece[1..])), "{piece}");
        }
    }

    #[test]
    fn pieces_count_where_together_they_are_half_of_the_key() {
        for thirds in [["abcdefghi", "jklmnopqr", "stuvwxyz"], ["STUVWXYZ-", "-abcdefghi", " jklmnopqr "]] {
            assert!(is_half(KEY, &thirds) && is_half(KEY, &thirds[..2]));
            assert!(!is_half(KEY, &thirds[..1]) && !is_half(KEY, &[thirds[0]; 3]), "one third, however often");
        }
        assert!(is_half(KEY, &["abcdefghijklm"]) && !is_half(KEY, &["abcdefghijkl"]));
        assert!(!is_half(KEY, &["abcdefg", "hijklmn", "opqrstu", "vwxyz"]), "shorter than a piece");
    }

    #[test]
    fn a_piece_that_is_in_the_key_twice_counts_at_both_places() {
        assert!(is_half("abcdefgh--abcdefgh-x", &["abcdefgh"]));
    }
}
