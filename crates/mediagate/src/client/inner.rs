//! What the clones of a client share, and what their calls end with.

use std::fmt;
use std::sync::Arc;

use serde_json::Value as Json;

use crate::actor::{Begin, Connection, Lease, Reply};
use crate::error::Error;
use crate::limits::Limits;
use crate::platform::snapshot;
use crate::snapshot::TaskSnapshot;
use crate::value::to_json;

/// A client of one gateway.
pub(super) struct Inner {
    // First, so that it is released before the connection ends.
    pub(super) gateway: Lease,
    pub(super) connection: Connection,
    pub(super) limits: Limits,
    pub(super) url: String,
}

/// A client of one gateway. Clones are the same client, with one session; calls may come from any thread and any executor.
///
/// The client works on a thread of its own, which ends when the last clone of it, and the last of its tasks, is dropped.
#[derive(Clone)]
pub struct Client(pub(super) Arc<Inner>);

/// Clones are equal, so that a page's framework can compare what it renders with.
impl PartialEq for Client {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Client {}

impl fmt::Debug for Client {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Client")
            .field("url", &self.0.url)
            .finish_non_exhaustive()
    }
}

/// What the clones of a task share.
pub(super) struct TaskInner {
    // First, so that it is released before its client.
    pub(super) lease: Lease,
    pub(super) client: Arc<Inner>,
}

impl Inner {
    /// Begins something and waits for its end, within the limits of the call or else of the client.
    pub(super) async fn call<T: Send + 'static>(
        self: &Arc<Self>,
        limits: Limits,
        begin: Begin,
        read: fn(Reply) -> Option<T>,
    ) -> Result<T, Error> {
        self.connection
            .call(limits.or(&self.limits), begin, read)
            .await
    }
}

/// A client or a task.
pub(super) fn lease(reply: Reply) -> Option<Lease> {
    if let Reply::Lease(lease) = reply {
        Some(lease)
    } else {
        None
    }
}

/// Data of the gateway's.
pub(super) fn json(reply: Reply) -> Option<Json> {
    if let Reply::Value(Some(value)) = reply {
        Some(to_json(&value))
    } else {
        None
    }
}

/// A string.
pub(super) fn text(reply: Reply) -> Option<String> {
    if let Reply::Value(Some(value)) = reply {
        value.as_text().map(str::to_owned)
    } else {
        None
    }
}

/// A snapshot.
pub(super) fn one_snapshot(reply: Reply) -> Option<TaskSnapshot> {
    next_snapshot(reply)?
}

/// The next snapshot of a subscription; `None` after the last one.
pub(super) fn next_snapshot(reply: Reply) -> Option<Option<TaskSnapshot>> {
    if let Reply::Value(value) = reply {
        Some(value.map(|it| snapshot(&it)))
    } else {
        None
    }
}
