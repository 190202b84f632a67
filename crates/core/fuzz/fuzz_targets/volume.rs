//! Any string as a volume: one that is not doubtful is a finite number, and not negative without a unit.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mediagate_core::grammar::volume::is_doubtful;

fuzz_target!(|text: &str| {
    if is_doubtful(text) {
        return;
    }
    let (number, is_decibels) = match text.trim().strip_suffix("dB") {
        Some(number) => (number, true),
        None => (text.trim(), false),
    };
    assert!(number.parse::<f64>().is_ok_and(|it| it.is_finite() && (is_decibels || it >= 0.0)));
});
