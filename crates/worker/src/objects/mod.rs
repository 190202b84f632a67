//! How the Durable Objects are reached: their bindings, the messages to them and the clients that send those.
//!
//! Both kinds of object use both clients: a ledger has new tasks watched, and a watcher frees the slots of tasks that have
//! ended. So the clients are below the objects.

mod ledger_client;
mod ledger_messages;
mod watcher_client;

pub(crate) use ledger_client::{LEDGER_BINDING, LedgerClient, create_key};
pub(crate) use ledger_messages::{CreateCommand, CreateResponse, LedgerRequest};
pub(crate) use watcher_client::{WATCHER_BINDING, WatchPurpose, WatchRequest, send_to_watcher};
