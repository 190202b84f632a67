//! Tests of the client for Rust as programs use it. `web.rs` has the tests on a page.

#![cfg(not(target_family = "wasm"))]
#![expect(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

mod calls;
mod gateway;
mod requests;
mod results;
mod tasks;
mod uploads;
