//! Any JSON as a task record.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mediagate_core::DecodedTask;
use serde_json::Value;

fuzz_target!(|input: &[u8]| {
    let Ok(record) = serde_json::from_slice::<Value>(input) else {
        return;
    };
    let task = DecodedTask::decode(&record);
    assert!(
        task.progress
            .is_none_or(|progress| (0.0..=1.0).contains(&progress))
    );
});
