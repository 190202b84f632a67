//! The known name that is nearest to a misspelt one.

use alloc::vec::Vec;

use crate::field::Field;

/// The longest name that gets a suggestion, in bytes: no field is near a longer one, and the distance takes quadratic
/// time.
const MAX_NAME_BYTES: usize = 40;

/// The field whose name differs least, if it differs by no more than a third of its letters. Case and underscores are
/// ignored, so `fileId` finds `file_id`.
pub(crate) fn nearest(name: &str, fields: [&'static [Field]; 3]) -> Option<&'static str> {
    if name.len() > MAX_NAME_BYTES {
        return None;
    }
    let mut nearest = None;
    let mut least = usize::MAX;
    for list in fields {
        for field in list {
            let distance = distance(name, field.name);
            if distance < least {
                (least, nearest) = (distance, Some(field.name));
            }
        }
    }
    nearest.filter(|it| least * 3 <= it.len())
}

fn letters(name: &str) -> impl Iterator<Item = u8> {
    name.bytes()
        .filter(|it| *it != b'_')
        .map(|it| it.to_ascii_lowercase())
}

/// The Levenshtein distance, one row at a time. Written here because it is a tenth of the size of the crates for it in
/// wasm.
fn distance(a: &str, b: &str) -> usize {
    let mut row = Vec::new();
    letters(b).for_each(|_| row.push(row.len() + 1));
    let mut first = 0;
    for left in letters(a) {
        let mut corner = first;
        first += 1;
        let mut last = first;
        for (right, cell) in letters(b).zip(&mut row) {
            let changed = corner + usize::from(left != right);
            corner = *cell;
            last = changed.min(corner + 1).min(last + 1);
            *cell = last;
        }
    }
    row.last().copied().unwrap_or(first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Kind;

    #[test]
    fn distances_count_inserted_removed_and_changed_letters() {
        for (one, other, expected) in [
            ("", "", 0),
            ("", "abc", 3),
            ("abc", "abc", 0),
            ("abc", "axc", 1),
            ("abc", "ac", 1),
            ("abc", "xabc", 1),
            ("kitten", "sitting", 3),
            ("sunday", "saturday", 3),
            ("flaw", "lawn", 2),
            ("abcdef", "uvwxyz", 6),
        ] {
            assert_eq!(distance(one, other), expected, "{one} to {other}");
            assert_eq!(distance(other, one), expected, "{other} to {one}");
        }
    }

    #[test]
    fn a_name_is_suggested_for_one_that_differs_by_a_third_at_most() {
        static FIELDS: [Field; 3] = [
            Field::new("file_id", Kind::Text),
            Field::new("prompt", Kind::Text),
            Field::new("seed", Kind::Text),
        ];
        let near = |name: &str| nearest(name, [&FIELDS, &[], &[]]);
        for (name, expected) in [
            ("fileId", Some("file_id")),
            ("FILE__ID", Some("file_id")),
            ("fileed", Some("file_id")),
            ("fled", Some("file_id")),
            ("prom", Some("prompt")),
            ("pro", None),
            ("see", Some("seed")),
            ("ee", None),
            ("sed", Some("seed")),
            ("", None),
        ] {
            assert_eq!(near(name), expected, "{name}");
        }
        assert_eq!(nearest("seed", [&[], &[], &[]]), None);
    }

    #[test]
    fn a_long_name_gets_no_suggestion() {
        const SUGGESTED: &str = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
        const TOO_LONG: &str = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
        static FIELDS: [Field; 2] = [
            Field::new(SUGGESTED, Kind::Text),
            Field::new(TOO_LONG, Kind::Text),
        ];
        assert_eq!((SUGGESTED.len(), TOO_LONG.len()), (40, 41));
        assert_eq!(nearest(SUGGESTED, [&FIELDS, &[], &[]]), Some(SUGGESTED));
        assert_eq!(nearest(TOO_LONG, [&FIELDS, &[], &[]]), None);
    }
}
