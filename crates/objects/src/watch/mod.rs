//! Polls each task once for all clients that follow it.
//!
//! A watched task has a Durable Object. The object polls the upstream on core's schedule, streams
//! each update to every subscriber, and notifies the app's backend of the end. [`state`] decides
//! when to poll, `object` sends the polls, and `events` writes server-sent events.

mod messages;
mod object;
pub mod state;
mod stored_state;

pub use object::Watcher;
