//! Any bytes as an upstream response: decoding never panics, and success always has the expected
//! data.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mediagate_core::response::{DecodedResponse, Expects, decode};
use serde_json::Value;

fuzz_target!(|input: (u16, &[u8])| {
    let body: Option<Value> = serde_json::from_slice(input.1).ok();
    for expects in [
        Expects::Task,
        Expects::Status,
        Expects::TaskOrResult,
        Expects::Data,
    ] {
        match decode(input.0, body.as_ref(), expects) {
            DecodedResponse::Task(task) => {
                assert!(
                    expects == Expects::Status || task.id.is_some_and(|id| !id.trim().is_empty())
                )
            }
            DecodedResponse::Result(_) => {
                assert!(
                    (200..300).contains(&input.0)
                        && !matches!(expects, Expects::Task | Expects::Status)
                )
            }
            DecodedResponse::Error(envelope) => assert!(envelope.code.0 != 0),
            DecodedResponse::Unreadable(reason) => assert!(!reason.name().is_empty()),
        }
    }
});
