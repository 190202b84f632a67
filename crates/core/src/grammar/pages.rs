//! Page ranges: `1-3`, `1,3,5`, `1-2,5` (§4.3).

use super::whole;
use crate::text::cut;

/// The most digits of a page number, without leading zeros; no document has a billion pages.
const MAX_DIGITS: usize = 9;

/// The ranges in the order of the string, each with its first and last page, counted from 1. `None` for an empty item,
/// page 0, a descending range, or any other character, including a space.
pub fn parse(text: &str) -> Option<Vec<(u32, u32)>> {
    let (mut ranges, mut left) = (Vec::new(), Some(text));
    while let Some(text) = left {
        let (item, rest) = cut(text, b",");
        ranges.push(range(item)?);
        left = rest;
    }
    Some(ranges)
}

fn range(item: &str) -> Option<(u32, u32)> {
    let (first, last) = cut(item, b"-");
    let page = |it: &str| whole(it.trim_start_matches('0'), MAX_DIGITS);
    let (first, last) = (page(first)?, page(last.unwrap_or(first))?);
    (first <= last).then_some((first, last))
}
