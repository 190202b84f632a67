//! Any string as a page range: accepted ranges ascend from page 1 and survive a round trip.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mediagate_core::grammar::pages;

fuzz_target!(|text: &str| {
    let Some(ranges) = pages::parse(text) else { return };
    assert!(ranges.iter().all(|it| 1 <= it.0 && it.0 <= it.1));
    let again: Vec<String> = ranges.iter().map(|it| format!("{}-{}", it.0, it.1)).collect();
    assert_eq!(pages::parse(&again.join(",")), Some(ranges));
});
