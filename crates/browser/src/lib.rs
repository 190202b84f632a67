//! The client for browsers, compiled to WebAssembly.
//!
//! [`engine`] does everything: sessions, calls, uploads, tasks, cancellation, errors. [`bindings`] is what JavaScript
//! sees of it, and only decodes, calls and encodes. What the platform does is in `host.js` beside it, in whole steps.
//! Bytes decide much here, since a page downloads all of this: values stay on the JavaScript side ([`value::Js`] walks
//! them in place, [`given`] is what was read of an input), JSON is the browser's own, and nothing formats numbers.

pub mod bindings;
pub mod engine;
pub mod given;
pub mod value;

/// The standard library's allocator would be an eighth of what a page downloads.
#[global_allocator]
static ALLOCATOR: rlsf::SmallGlobalTlsf = rlsf::SmallGlobalTlsf::new();
