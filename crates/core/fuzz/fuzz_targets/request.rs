//! Any JSON as a request of every capability.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mediagate_core::{CAPABILITIES, MAX_ISSUES, validate, validate_upload};
use serde_json::Value;

fuzz_target!(|input: &[u8]| {
    let Ok(body) = serde_json::from_slice::<Value>(input) else { return };
    validate_upload(&&body);
    for capability in CAPABILITIES {
        let issues = validate(capability, &&body);
        // The limit ends the walk over the body's own members; each known field may add a few issues more.
        assert!(issues.len() <= MAX_ISSUES * 8);
    }
});
