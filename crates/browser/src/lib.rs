//! The client as typed functions for JavaScript: `Client`, `Task`, `Pipeline` and `Subscription`,
//! and functions without a client.
//!
//! A script implements the `Platform` of a client. The package `mediagate` has one for browsers and
//! servers. The functions only convert: arguments become those of `mediagate-client`, and results
//! become promises.

#![cfg(target_family = "wasm")]
// The standard library would add the messages of its panics, and the code that formats them, to the
// download of a page. The page never shows them.
#![cfg_attr(not(test), no_std)]

extern crate alloc;

mod client;
mod error;
mod functions;
mod limits;
mod platform;
mod promise;
mod task;
mod value;

use wasm_bindgen::prelude::*;

pub use client::Client;
pub use functions::{capabilities, decode_envelope, validate};
pub use task::{Pipeline, Subscription, Task};

/// Schedules a new instance of the wasm after a panic. The next call of an export makes the
/// instance. The objects of the old instance then no longer work.
#[wasm_bindgen]
pub fn restart() {
    wasm_bindgen::handler::schedule_reinit();
}

/// Does nothing. Call it right after [`restart`], so that a call without a string makes the
/// instance. The glue writes a string into the memory of the present instance, before it makes the
/// new instance.
#[wasm_bindgen(js_name = afterRestart)]
pub fn after_restart() {}

/// A small allocator, because a page downloads it.
#[global_allocator]
static ALLOCATOR: rlsf::SmallGlobalTlsf = rlsf::SmallGlobalTlsf::new();

/// Reports a panic to the package, which rejects every call under way. Then traps.
#[cfg(not(test))]
#[panic_handler]
fn panicked(_info: &core::panic::PanicInfo<'_>) -> ! {
    #[cfg(debug_assertions)]
    platform::panicked(&alloc::string::ToString::to_string(_info));
    #[cfg(not(debug_assertions))]
    platform::panicked("");
    core::arch::wasm32::unreachable()
}
