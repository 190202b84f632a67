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
