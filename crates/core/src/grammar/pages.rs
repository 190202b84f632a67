//! Page ranges: `1-3`, `1,3,5`, `1-2,5` (§4.3).

use super::whole;
use crate::text::cut;

/// Digits of the largest page number, zeros before it not counted; no document has a billion pages.
const DIGITS: usize = 9;

/// The ranges in the order given, first and last page each, from 1. `None` for an empty item, a page 0, a range that
/// descends, or any other character, a space among them.
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
    let page = |it: &str| whole(it.trim_start_matches('0'), DIGITS);
    let (first, last) = (page(first)?, page(last.unwrap_or(first))?);
    (first <= last).then_some((first, last))
}
