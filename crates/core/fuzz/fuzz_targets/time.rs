//! Any string as `HH:MM:SS`: an accepted time survives a round trip.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mediagate_core::grammar::time;

fuzz_target!(|text: &str| {
    if let Some(it) = time::parse(text) {
        assert_eq!(
            format!("{:02}:{:02}:{:02}", it / 3600, it / 60 % 60, it % 60),
            text
        );
    }
});
