//! Any JSON as a request of every capability.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mediagate_core::{
    CAPABILITIES, MAX_ISSUES, is_valid, validate, validate_strictly, validate_upload,
};
use serde_json::Value;

fuzz_target!(|input: &[u8]| {
    let Ok(body) = serde_json::from_slice::<Value>(input) else {
        return;
    };
    validate_upload(&body);
    for capability in CAPABILITIES {
        let open = validate(capability, &body);
        let strict = validate_strictly(capability, &body);
        // Many errors end the walk over the body's members, but each known field may add a few.
        assert!(open.len().max(strict.len()) <= MAX_ISSUES * 8);
        assert!(
            is_valid(&open) || !is_valid(&strict),
            "strict validation also refuses whatever open validation refuses"
        );
    }
});
