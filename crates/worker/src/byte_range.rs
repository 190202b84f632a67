//! Ranges of bytes in requests for a file (RFC 9110, §14).
//!
//! The crate `http-range-header` is not used, because it refuses a suffix that is longer than the
//! file. The standard serves the whole file then.

use std::ops::Range;

/// The bytes of a file that a request asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    Whole,
    Part(Range<u64>),
    /// The range begins at or after the file's end.
    Unsatisfiable,
}

/// Reads the header `Range`. As the standard allows, the header counts as absent if it can't be
/// read, has another unit than bytes, or names several ranges. `size` is the file's, in bytes.
pub(crate) fn wanted(header: Option<&str>, size: u64) -> Wanted {
    let Some((first, last)) = header.and_then(one_range) else {
        return Wanted::Whole;
    };
    let range = match (first, last) {
        (Some(first), Some(last)) if last < first => return Wanted::Whole,
        (Some(first), last) => first..last.map_or(size, |last| last.saturating_add(1).min(size)),
        (None, Some(0)) => return Wanted::Unsatisfiable,
        // A suffix counts from the end of the file.
        (None, Some(length)) => size.saturating_sub(length)..size,
        (None, None) => return Wanted::Whole,
    };
    if range.start < size {
        Wanted::Part(range)
    } else {
        Wanted::Unsatisfiable
    }
}

/// Returns the numbers around the dash.
fn one_range(header: &str) -> Option<(Option<u64>, Option<u64>)> {
    let (unit, range) = header.trim().split_once('=')?;
    let (first, last) = range.trim().split_once('-')?;
    let is_bytes = unit.trim_end().eq_ignore_ascii_case("bytes");
    is_bytes.then_some((number(first)?, number(last)?))
}

/// Reads a number of bytes. Returns `None` for invalid text, and `Some(None)` for empty text.
fn number(text: &str) -> Option<Option<u64>> {
    match text {
        "" => Some(None),
        _ if text.bytes().all(|byte| byte.is_ascii_digit()) => {
            // A number that does not fit is behind the end of every file.
            Some(Some(text.parse().unwrap_or(u64::MAX)))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_range_is_served_and_every_other_header_ignored() {
        for (header, expected) in [
            ("bytes=0-1", Wanted::Part(0..2)),
            ("bytes=0-", Wanted::Part(0..10)),
            ("Bytes=3-99", Wanted::Part(3..10)),
            ("bytes=9-9", Wanted::Part(9..10)),
            ("bytes=-4", Wanted::Part(6..10)),
            ("bytes=-99", Wanted::Part(0..10)),
            ("bytes=2-99999999999999999999999", Wanted::Part(2..10)),
            ("bytes=10-", Wanted::Unsatisfiable),
            ("bytes=99999999999999999999999-", Wanted::Unsatisfiable),
            ("bytes=-0", Wanted::Unsatisfiable),
            ("bytes=5-2", Wanted::Whole),
            ("bytes=-", Wanted::Whole),
            ("bytes=0-1,4-5", Wanted::Whole),
            ("bytes=+1-2", Wanted::Whole),
            ("lines=0-1", Wanted::Whole),
            ("bytes", Wanted::Whole),
            ("", Wanted::Whole),
        ] {
            assert_eq!(wanted(Some(header), 10), expected, "{header}");
        }
        assert_eq!(wanted(None, 10), Wanted::Whole);
        assert_eq!(wanted(Some("bytes=0-"), 0), Wanted::Unsatisfiable);
    }
}
