//! Page ranges: `1-3`, `1,3,5`, `1-2,5` (§4.3).

use super::whole;

/// Digits of the largest page number, zeros before it not counted; no document has a billion pages.
const DIGITS: usize = 9;

/// The ranges in the order given, first and last page each, from 1. `None` for an empty item, a page 0, a range that
/// descends, or any other character, a space among them.
pub fn parse(text: &str) -> Option<Vec<(u32, u32)>> {
    text.split(',').map(range).collect()
}

fn range(item: &str) -> Option<(u32, u32)> {
    let (first, last) = item.split_once('-').unwrap_or((item, item));
    let page = |it: &str| whole(it.trim_start_matches('0'), DIGITS);
    let (first, last) = (page(first)?, page(last)?);
    (first <= last).then_some((first, last))
}
