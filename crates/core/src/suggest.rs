use alloc::vec::Vec;

/// The longest name that gets a suggestion, in bytes. No field is near a longer one, and the
/// distance takes quadratic time.
const MAX_NAME_BYTES: usize = 40;

/// Returns the known name that differs least; `None` if more than a third of the letters differ.
/// Case and underscores are ignored, so `fileId` finds `file_id`.
pub(crate) fn nearest<'a>(name: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if name.len() > MAX_NAME_BYTES {
        return None;
    }
    let mut nearest = None;
    let mut least = usize::MAX;
    for known in names {
        let distance = distance(name, known);
        if distance < least {
            (least, nearest) = (distance, Some(known));
        }
    }
    nearest.filter(|found| least * 3 <= found.len())
}

fn letters(name: &str) -> impl Iterator<Item = u8> {
    name.bytes()
        .filter(|byte| *byte != b'_')
        .map(|byte| byte.to_ascii_lowercase())
}

/// The Levenshtein distance. In wasm, this function is a tenth of the size of the crates for it.
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
        let near = |name: &str| nearest(name, ["file_id", "prompt", "seed"]);
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
        assert_eq!(nearest("seed", []), None);
    }

    #[test]
    fn a_long_name_gets_no_suggestion() {
        const SUGGESTED: &str = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
        const TOO_LONG: &str = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
        assert_eq!((SUGGESTED.len(), TOO_LONG.len()), (40, 41));
        assert_eq!(nearest(SUGGESTED, [SUGGESTED, TOO_LONG]), Some(SUGGESTED));
        assert_eq!(nearest(TOO_LONG, [SUGGESTED, TOO_LONG]), None);
    }
}
