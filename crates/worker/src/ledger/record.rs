//! A create, as a ledger stores it. Times are milliseconds since 1970.

use mediagate_core::Group;
use serde::Deserialize;

/// A create, as a ledger stores it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct CreateRecord {
    /// Capability and idempotency key; a random name where the caller sent no key.
    pub key: String,
    /// A hash of the body: a key that is used again with another body is refused. `None` for a reservation of another ledger, which has
    /// the body.
    pub fingerprint: Option<String>,
    /// The capability's group.
    #[serde(rename = "task_group")]
    pub group: Group,
    /// When it was stored, which is before it is submitted to the upstream.
    pub created_at: i64,
    /// Its outcome, as JSON; `None` while it is being submitted.
    pub outcome: Option<String>,
    /// The upstream's id of its task.
    pub task: Option<String>,
    /// Until when it counts as a task in flight.
    pub slot_until: i64,
}

impl CreateRecord {
    /// Whether another ledger reserved it, against a budget that several callers share.
    pub(super) fn is_reservation(&self) -> bool {
        self.fingerprint.is_none()
    }
}

/// The entry of a create that is about to be submitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NewEntry<'a> {
    /// The capability's name.
    pub capability: &'a str,
    /// The create's title.
    pub title: Option<&'a str>,
}

/// The history's part of a create that has an outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryResult {
    /// The origin of the task, as JSON.
    pub origin: Option<String>,
    /// State, outputs and error, as JSON.
    pub summary: String,
    /// A result that came without a task, as JSON.
    pub result: Option<String>,
    /// When it ended; `None` while the task may be running.
    pub ended_at: Option<i64>,
}
