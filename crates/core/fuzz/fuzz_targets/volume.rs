//! Any string as a volume: an accepted one is a finite number, and not negative without a unit.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mediagate_core::grammar::volume::{Volume, parse};

fuzz_target!(|text: &str| {
    match parse(text) {
        Some(Volume::Multiplier(it)) => assert!(it.parse::<f64>().is_ok_and(|it| it.is_finite() && it >= 0.0)),
        Some(Volume::Decibels(it)) => assert!(it.parse::<f64>().is_ok_and(f64::is_finite)),
        None => {}
    }
});
