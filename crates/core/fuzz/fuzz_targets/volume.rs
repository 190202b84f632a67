//! Any string as a volume: a volume that is not doubtful is a number, and not negative without a
//! unit. A number of more than 308 digits reads as infinite and passes, because counting digits
//! would cost the client bytes.
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
            .is_ok_and(|number| !number.is_nan() && (is_decibels || number >= 0.0))
    );
});
