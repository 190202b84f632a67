//! The gateway between a web page and the media service (the upstream).
//!
//! The gateway has the upstream's API key, and admits only callers with a session token. It
//! validates every request against the catalogue of `mediagate-core`, forwards it, and seals every
//! id in the response for the caller. Sections (§) are those of the upstream document.
//!
//! Imports between the modules only point down (`README.md` lists the modules). A request enters at
//! the top: [`gateway`] finds its route and its caller. `operations` or `mcp` handles it, by
//! messages to Durable Objects ([`mediagate_messages`]) or directly through
//! [`mediagate_upstream_client`].

pub mod auth;
mod byte_range;
mod description;
pub mod gateway;
mod incoming;
mod load;
mod mcp;
mod operations;
mod reply;

pub use gateway::{Gateway, refuse_all};
pub use mediagate_access::identity;
pub use mediagate_objects::{Durations, Ledger, Pipeline, Transfer, Watcher};
pub use mediagate_platform::{note_open_objects, panics};
