//! The gateway between a web page and the media service (the upstream).
//!
//! The gateway has the upstream's API key, and admits only callers with a session token. It
//! validates every request against the catalogue of `mediagate-core`, forwards it, and seals every
//! id in the response for the caller. Sections (§) are those of the upstream document.
//!
//! Imports between the modules only point down (`README.md` lists the modules). A request enters at
//! the top: [`gateway`] finds its route and its caller. `operations` or `mcp` handles it, through
//! the Durable Objects ([`ledger`], [`watch`]) or directly through `upstream`. Decisions are plain
//! Rust and are tested natively. `platform` has the functions of the JavaScript host that several
//! modules share.

pub mod auth;
mod byte_range;
mod byte_size;
pub mod crypto;
mod durations;
mod events;
mod file_name;
pub mod gateway;
pub mod identity;
pub mod ids;
pub mod ledger;
mod load;
mod mcp;
mod media_type;
mod objects;
mod openapi;
mod operations;
mod pipeline;
mod platform;
pub mod refusal;
mod reply;
mod routes;
pub mod settings;
mod transfer;
mod upstream;
pub mod watch;
pub mod webhooks;

pub use durations::Durations;
pub use gateway::{Gateway, refuse_all};
pub use ledger::Ledger;
pub use pipeline::Pipeline;
pub use platform::{note_open_objects, panics};
pub use transfer::Transfer;
pub use watch::Watcher;
