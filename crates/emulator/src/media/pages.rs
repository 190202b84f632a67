//! Page ranges: "forms such as 1-3, 1,3,5, 1-2,5" (§4.3). This emulator also reads spaces, open
//! ends and a few words.

use super::error::MediaError;

/// The most pages in one result. A list such as `1-999,1-999,…` could otherwise grow without a
/// limit.
const MAX_PAGES: usize = 10_000;

/// Returns the pages of a range, in its order and counted from 1. Fails for a page past the end,
/// for more than [`MAX_PAGES`] pages, for no pages, and for any other form of a range.
pub(super) fn parse(range: &str, total: usize) -> Result<Vec<usize>, MediaError> {
    let mut pages = Vec::new();
    for part in range
        .split([',', ';'])
        .map(str::trim)
        .filter(|part| !part.is_empty())
    {
        let (first, last) = ends(part, total).ok_or_else(unknown)?;
        if let Some(past) = [first, last].into_iter().find(|page| *page > total) {
            return Err(MediaError::PagePastEnd(past as u32, total));
        }
        if first <= last {
            pages.extend(first..=last);
        } else {
            pages.extend((last..=first).rev());
        }
        if pages.len() > MAX_PAGES {
            return Err(MediaError::of_input(format!(
                "more than {MAX_PAGES} pages; request fewer"
            )));
        }
    }
    if pages.is_empty() {
        Err(unknown())
    } else {
        Ok(pages)
    }
}

/// Returns the first and the last page of one part of a range.
fn ends(part: &str, total: usize) -> Option<(usize, usize)> {
    let page = |text: &str, open: usize| match text.trim().to_lowercase().as_str() {
        "" => Some(open),
        "first" => Some(1),
        "last" | "end" => Some(total),
        number => number
            .parse()
            .ok()
            .filter(|page| (1..=u32::MAX as usize).contains(page)),
    };
    match part.split_once('-') {
        _ if part.eq_ignore_ascii_case("all") => Some((1, total)),
        Some((first, last)) if !(first.trim().is_empty() && last.trim().is_empty()) => {
            Some((page(first, 1)?, page(last, total)?))
        }
        Some(_) => None,
        None => page(part, 0).map(|page| (page, page)),
    }
}

fn unknown() -> MediaError {
    MediaError::of_input(
        "the page range has a form that this emulator does not read; \
         give one such as 1-3, 1,3,5 or 2-",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_names_pages() {
        for (range, expected) in [
            ("1-3", vec![1, 2, 3]),
            ("1,3,5", vec![1, 3, 5]),
            (" 1 - 2 , 5 ", vec![1, 2, 5]),
            ("4-", vec![4, 5]),
            ("-2", vec![1, 2]),
            ("3-1", vec![3, 2, 1]),
            ("all", vec![1, 2, 3, 4, 5]),
            ("last, first", vec![5, 1]),
            ("4-end", vec![4, 5]),
            ("002", vec![2]),
        ] {
            assert_eq!(parse(range, 5).unwrap(), expected, "{range}");
        }
    }

    #[test]
    fn other_forms_are_an_error() {
        for range in ["0", "-", ",", "odd", "1-2-3", "1.5", "٣"] {
            assert!(parse(range, 5).is_err(), "{range}");
        }
        assert_eq!(
            parse("2-6", 5).unwrap_err().to_string(),
            MediaError::PagePastEnd(6, 5).to_string()
        );
        assert!(parse(&["1-1000"; 11].join(","), 1000).is_err());
    }
}
