//! Any string as a page range: judged without a panic, and doubtful where it has no digit.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mediagate_core::grammar::pages;

fuzz_target!(|text: &str| {
    assert!(pages::is_doubtful(text) || text.bytes().any(|it| it.is_ascii_digit()));
});
