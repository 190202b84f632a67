//! The client for browsers, compiled to WebAssembly: the engine of `mediagate-client` on the platform of a page.
//!
//! `driver.js` performs the engine's operations and settles promises, `network.js` sends requests, `values.js` reads and
//! makes values, `copy.js` copies those of callers, and `page.js` has the rest of the platform; [`driver`] declares their functions. [`value`] has the handles
//! of JavaScript's values, [`platform`] is the engine's platform by both, and [`exports`] is what `driver.js` and the
//! package's scripts call. Nothing here decides anything.
//!
//! A page downloads all of this, so size decides much: JSON is the browser's own, and numbers are never formatted.

// The standard library would bring the messages of its panics, and the code that writes them, to a page that never sees
// them.
#![cfg_attr(all(target_arch = "wasm32", not(test)), no_std)]

extern crate alloc;

pub mod driver;
pub mod exports;
pub mod platform;
pub mod value;

mod types;

/// A small one: an allocator is downloaded with the rest.
#[global_allocator]
static ALLOCATOR: rlsf::SmallGlobalTlsf = rlsf::SmallGlobalTlsf::new();

/// A panic is a trap, upon which `driver.js` rejects whatever is under way.
#[cfg(all(target_arch = "wasm32", not(test)))]
#[panic_handler]
fn trap(_: &core::panic::PanicInfo<'_>) -> ! {
    core::arch::wasm32::unreachable()
}
