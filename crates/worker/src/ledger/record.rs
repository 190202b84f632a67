//! A create, as a ledger stores it. Times are milliseconds since 1970.

use mediagate_core::Group;

/// A create, as a ledger stores it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CreateRecord {
    /// Capability and idempotency key; a random name where the caller sent no key.
    pub key: String,
    /// A hash of the body: the same key with another body is refused. Empty where another ledger reserved this, which has
    /// the body.
    pub fingerprint: String,
    /// The capability's group.
    pub group: Group,
    /// When it was stored, which is before it is submitted to the upstream.
    pub created_at: i64,
    /// Its outcome, as JSON; `None` while it is being submitted.
    pub outcome: Option<String>,
    /// The upstream's id of its task, where that may be running.
    pub task: Option<String>,
    /// Until when it counts as a task in flight.
    pub slot_until: i64,
}

impl CreateRecord {
    /// Whether another ledger reserved it, against a budget that several callers share.
    pub(super) fn is_reservation(&self) -> bool {
        self.fingerprint.is_empty()
    }
}
