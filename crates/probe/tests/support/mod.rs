//! Shared by the tests: an emulator in any dialect, and a caller that speaks by what the probe found.
#![allow(unreachable_pub, reason = "a module of the tests alone")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking; that is their job")]

pub mod caller;
pub mod spoken;
pub mod truth;
