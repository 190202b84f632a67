//! One poller for each task, however many wait for it.
//!
//! A watched task has a Durable Object of its own, which asks the service as often as the core's schedule says and tells
//! everyone who listens. [`plan`] decides, `object` does, and `events` writes server-sent events.

mod events;
mod object;
pub mod plan;

use serde::{Deserialize, Serialize};

pub use object::Watcher;

use crate::session::Subject;

/// The name of the binding to the Durable Objects.
pub(crate) const BINDING: &str = "WATCHER";

/// What a watcher is asked: to tell somebody what becomes of a task.
#[derive(Serialize, Deserialize)]
pub(crate) struct Listen {
    /// The task's group.
    pub(crate) group: String,
    /// The task's id as the service knows it.
    pub(crate) task: String,
    /// To whom ids are sealed.
    pub(crate) subject: Subject,
    /// The number of the last event that was received; 0 for none.
    pub(crate) seen: u64,
    /// When to stop, in milliseconds since 1970.
    pub(crate) until: i64,
}
