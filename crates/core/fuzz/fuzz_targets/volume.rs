//! Any string as a volume: one that is not doubtful is a number, and not negative without a unit. With more than 308 digits
//! it reads as infinite, which is left to upstream: to count for that would cost the client bytes.
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
    assert!(
        number
            .parse::<f64>()
            .is_ok_and(|it| !it.is_nan() && (is_decibels || it >= 0.0))
    );
});
