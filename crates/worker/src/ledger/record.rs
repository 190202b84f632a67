//! The create as a ledger stores it. Times are milliseconds since 1970.

use mediagate_core::Group;
use serde::Deserialize;

/// A stored create.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct CreateRecord {
    /// Capability and idempotency key. A random name if the caller sent no key.
    pub key: String,
    /// A hash of the body, to refuse a key that is used again with another body. `None` for a
    /// reservation of another ledger, which has the body.
    pub fingerprint: Option<String>,
    /// The capability's group.
    #[serde(rename = "task_group")]
    pub group: Group,
    /// The time at which it was stored, before it is submitted to the upstream.
    pub created_at: i64,
    /// The outcome, as JSON. `None` while the create is being submitted, and for a reservation.
    pub outcome: Option<String>,
    /// The upstream's id of the task.
    pub task: Option<String>,
    /// The time until it counts as a task in flight. 0 if it does not count.
    pub slot_until: i64,
}

impl CreateRecord {
    /// Returns true if another ledger reserved it against a budget that several callers share.
    pub(super) fn is_reservation(&self) -> bool {
        self.fingerprint.is_none()
    }
}

/// The entry of a create that is about to be submitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NewEntry<'a> {
    /// The capability's name.
    pub capability: &'a str,
    /// The title of the create.
    pub title: Option<&'a str>,
}

/// The columns of a create that the history shows after its outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryResult {
    /// The origin of the task, as JSON.
    pub origin: Option<String>,
    /// State, outputs and error, as JSON.
    pub summary: String,
    /// A result that came without a task, as JSON.
    pub result: Option<String>,
    /// The time of its end. `None` while the task may be running.
    pub ended_at: Option<i64>,
}
