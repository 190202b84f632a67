//! Any string as a page range: never a panic, and a range without a digit is doubtful.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mediagate_core::grammar::pages;

fuzz_target!(|text: &str| {
    assert!(pages::is_doubtful(text) || text.bytes().any(|byte| byte.is_ascii_digit()));
});
