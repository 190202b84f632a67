//! The gateway between a web page and the media service.
//!
//! It holds the service's key, lets in only callers with a session token, checks every request against the catalogue of
//! `mediagate-core`, forwards it, and seals every id it hands out to the caller who owns it. Sections (§) are those of
//! the upstream document.
//!
//! A request goes one way through the modules: [`routes`] names the operation, [`session`] the caller, `operations` does
//! it with [`seal`] and `upstream`, and `reply` writes the answer. What decides is plain Rust and tested natively; what
//! touches the platform is in `http`, `platform`, `upstream` and `ledger`'s `object`.

mod cors;
#[cfg(feature = "entry")]
mod entry;
mod exchange;
mod gateway;
mod http;
mod json;
pub mod ledger;
mod load;
mod mcp;
mod memo;
pub mod openapi;
mod operations;
pub mod panics;
mod platform;
pub mod present;
mod redact;
mod refusal;
mod reply;
pub mod routes;
pub mod seal;
mod secret;
pub mod session;
pub mod settings;
mod upstream;
pub mod watch;

pub use exchange::refuse_all;
pub use gateway::Gateway;
pub use ledger::Ledger;
pub use refusal::Refusal;
pub use secret::Secret;
pub use watch::Watcher;
