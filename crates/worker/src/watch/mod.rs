//! One poller for each task, however many wait for it.
//!
//! A watched task has a Durable Object of its own, which asks the service as often as the core's schedule says and tells
//! everyone who listens. [`plan`] decides, `object` does, and `events` writes server-sent events.

mod events;
mod listeners;
mod object;
pub mod plan;
pub(crate) mod webhooks;

use serde::{Deserialize, Serialize};
use web_sys::Response;
use worker::Env;

pub use object::Watcher;

use crate::platform::ask_object;
use crate::session::{Subject, hash};

/// The name of the binding to the Durable Objects.
pub(crate) const BINDING: &str = "WATCHER";

/// What a watcher is asked.
#[derive(Serialize, Deserialize)]
pub(crate) struct Ask {
    /// The task's group.
    pub(crate) group: String,
    /// The task's id as the service knows it.
    pub(crate) task: String,
    /// Whose it is: to whom ids are sealed.
    pub(crate) subject: Subject,
    /// What for.
    pub(crate) what: What,
}

/// What a task is watched for.
#[derive(Serialize, Deserialize)]
pub(crate) enum What {
    /// To tell somebody what becomes of it.
    Listen {
        /// The number of the last event that was received; 0 for none.
        seen: u64,
        /// When to stop, in milliseconds since 1970.
        until: i64,
    },
    /// To tell the app's backend how it ended.
    Follow,
}

/// Asks the watcher of a task; `None` where it can't be reached. Its answer may be a stream, which ends by itself.
pub(crate) async fn ask(env: &Env, tenant: &str, ask: &Ask) -> Option<Response> {
    let Subject { source, issuer, name } = &ask.subject;
    ask_object(env, BINDING, &hash(&[tenant, &ask.group, &ask.task, source, issuer, name]), ask).await
}
