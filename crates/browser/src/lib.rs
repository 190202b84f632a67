//! The client for browsers, compiled to WebAssembly.
//!
//! [`engine`] has the logic: sessions, calls, uploads, tasks, cancellation, errors. [`bindings`] is what JavaScript sees
//! of it, and only decodes, calls and encodes. [`host`] declares the functions of `host.js`, which use the platform.
//! A page downloads all of this, so size decides much: values stay on the JavaScript side ([`value::Js`] reads them in
//! place, [`input_view`] reads what was copied of an input), JSON is the browser's own, and numbers are never formatted.
//!
//! The modules are in layers, which `Cargo.toml` lists under `package.metadata`: none uses one that is above it.

pub mod bindings;
pub mod engine;
pub mod host;
pub mod input_view;
pub mod value;

/// The standard library's allocator would be an eighth of what a page downloads.
#[global_allocator]
static ALLOCATOR: rlsf::SmallGlobalTlsf = rlsf::SmallGlobalTlsf::new();
