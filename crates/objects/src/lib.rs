//! The Durable Objects of the gateway. They send each other messages by the clients of
//! `mediagate-messages`, and do not import each other.

#![allow(
    missing_docs,
    reason = "only crates of the gateway import this one: a name that says all needs no sentence"
)]

pub mod durations;
mod events;
mod file_name;
pub mod ledger;
pub mod pipeline;
pub mod transfer;
pub mod watch;
pub mod webhooks;

pub use durations::Durations;
pub use ledger::Ledger;
pub use pipeline::Pipeline;
pub use transfer::Transfer;
pub use watch::Watcher;
