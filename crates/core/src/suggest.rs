//! The known name that is nearest to a misspelt one.

/// The longest name that gets a suggestion, in bytes: no field is near a longer one, and the distance takes quadratic
/// time.
const MAX_NAME_BYTES: usize = 40;

/// The candidate that differs least, if it differs by no more than a third of its letters. Case and underscores are
/// ignored, so `fileId` finds `file_id`.
pub(crate) fn nearest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    if name.len() > MAX_NAME_BYTES {
        return None;
    }
    let plain = letters(name);
    let scored = candidates.map(|it| (distance(&plain, &letters(it)), it));
    let (least, nearest) = scored.min_by_key(|it| it.0)?;
    (least * 3 <= nearest.len()).then_some(nearest)
}

fn letters(name: &str) -> Vec<u8> {
    name.bytes().filter(|it| *it != b'_').map(|it| it.to_ascii_lowercase()).collect()
}

/// The Levenshtein distance, one row at a time. Written here because it is a tenth of the size of the crates for it in
/// wasm.
fn distance(a: &[u8], b: &[u8]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, left) in a.iter().enumerate() {
        let mut corner = i;
        let mut last = i + 1;
        for (right, cell) in b.iter().zip(row.iter_mut().skip(1)) {
            let changed = corner + usize::from(left != right);
            corner = *cell;
            last = changed.min(corner + 1).min(last + 1);
            *cell = last;
        }
        if let Some(first) = row.first_mut() {
            *first = i + 1;
        }
    }
    row.last().copied().unwrap_or_default()
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
            assert_eq!(distance(one.as_bytes(), other.as_bytes()), expected, "{one} to {other}");
            assert_eq!(distance(other.as_bytes(), one.as_bytes()), expected, "{other} to {one}");
        }
    }

    #[test]
    fn a_name_is_suggested_for_one_that_differs_by_a_third_at_most() {
        let near = |name: &str| nearest(name, ["file_id", "prompt", "seed"].into_iter());
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
        assert_eq!(nearest("seed", [].into_iter()), None);
    }

    #[test]
    fn a_long_name_gets_no_suggestion() {
        let [longest, longer] = [40, 41].map(|length| "a".repeat(length));
        assert_eq!(nearest(&longest, [&*longest].into_iter()), Some(&*longest));
        assert_eq!(nearest(&longer, [&*longer].into_iter()), None);
    }
}
