//! The storage of creates. Times are milliseconds since 1970.

use mediagate_access::identity::{Credits, Item, Taking};
use mediagate_core::{Group, lifetime};
use serde::{Deserialize, Deserializer};

/// The time during which a create is stored and counted. A repetition after it can be charged
/// twice.
pub const RETENTION_MS: i64 = lifetime::KNOWN_MS as i64;
/// The time after which a slot expires if nobody sees its task end.
pub(super) const SLOT_MS: i64 = 30 * 60 * 1000;

/// A stored create, which is also its entry in the history.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct CreateRecord {
    /// Capability and idempotency key. A random name if the caller sent no key.
    pub key: String,
    /// A hash of the body, to refuse a key that is used again with another body. `None` for a
    /// reservation of another ledger, which has the body.
    pub fingerprint: Option<String>,
    #[serde(rename = "task_group")]
    pub group: Group,
    /// `None` for a reservation, which is no entry of the history.
    pub capability: Option<String>,
    pub title: Option<String>,
    /// The time at which the create was stored, before it is submitted to the upstream.
    pub created_at: i64,
    /// As JSON. `None` while the create is being submitted, and for a reservation.
    pub outcome: Option<String>,
    /// The time until the create counts as a task in flight. `None` if it does not count.
    pub slot_until: Option<i64>,
    /// The expected price, which is reserved. `None` if it is unknown.
    #[serde(deserialize_with = "millionths")]
    pub expected: Option<Credits>,
    /// The real cost, which replaces the expected price. `None` while it is unknown.
    #[serde(deserialize_with = "millionths")]
    pub cost: Option<Credits>,
}

/// Reads a column of an amount, which has millionths of a credit.
pub(super) fn millionths<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Credits>, D::Error> {
    let amount = Option::<i64>::deserialize(deserializer)?;
    Ok(amount.map(|amount| Credits::from_millionths(amount.unsigned_abs())))
}

/// Returns the column of an amount.
pub(super) fn column(amount: Option<Credits>) -> Option<i64> {
    amount.map(|amount| amount.millionths() as i64)
}

impl CreateRecord {
    /// Returns a record without an outcome: a reservation. A create has a fingerprint, a capability
    /// and a title in addition.
    pub fn unsettled(key: String, group: Group, now: i64) -> Self {
        CreateRecord {
            key,
            fingerprint: None,
            group,
            capability: None,
            title: None,
            created_at: now,
            outcome: None,
            slot_until: Some(now + SLOT_MS),
            expected: None,
            cost: None,
        }
    }

    /// Returns the credits that count against a budget.
    pub(super) fn counted(&self) -> Credits {
        self.cost.or(self.expected).unwrap_or_default()
    }

    /// Returns true if another ledger reserved the create against a budget that several callers
    /// share.
    pub(super) fn is_reservation(&self) -> bool {
        self.fingerprint.is_none()
    }
}

/// The columns of a create that may have been charged. `None` for each that is not known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeptCreate {
    /// The outcome of every repetition, as JSON. `None` for a reservation, which is never repeated.
    pub outcome: Option<String>,
    pub task: Option<String>,
    /// True if a task may be running, also if the response with its id was lost.
    pub is_running: bool,
    pub origin: Option<String>,
    /// State, outputs and error, as JSON. `None` without a readable response.
    pub summary: Option<String>,
    /// A result that the upstream can't be asked for again, as JSON.
    pub result: Option<String>,
    /// `None` while the task may be running.
    pub ended_at: Option<i64>,
    /// The cost that the response has. `None` if it has none.
    pub cost: Option<Credits>,
}

/// A create of a task, with what is known of its price.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub struct Priced {
    pub created_at: i64,
    #[serde(deserialize_with = "millionths")]
    pub expected: Option<Credits>,
    #[serde(deserialize_with = "millionths")]
    pub cost: Option<Credits>,
}

impl Priced {
    /// Returns the credits that count against a budget.
    pub(super) fn counted(&self) -> Credits {
        self.cost.or(self.expected).unwrap_or_default()
    }
}

/// The times that count against budgets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CountedTimes {
    /// The times at which creates of the group `generate` were stored.
    pub generate: Vec<i64>,
    /// The times at which creates of the group `process` were stored.
    pub process: Vec<i64>,
    /// The times at which the slots of tasks in flight expire.
    pub slots: Vec<i64>,
    /// The times at which creates were stored, with the millionths of a credit that each counts.
    pub credits: Vec<(i64, u64)>,
}

/// The sums of an item over several buckets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct Taken {
    pub count: u64,
    pub bytes: u64,
    /// The start of the first bucket. `None` if nothing was taken.
    pub first: Option<i64>,
}

/// The storage of creates. Each call is atomic. Its changes are durable before the object sends any
/// request.
pub trait Store {
    type Error;
    /// Returns the record of a key.
    fn find(&self, key: &str) -> Result<Option<CreateRecord>, Self::Error>;
    /// Writes a record, unless its key has one. Returns the number of the new entry.
    fn insert(&self, record: &CreateRecord) -> Result<Option<i64>, Self::Error>;
    /// Forgets the key of an earlier record. The record's entry stays in the history.
    fn forget_key(&self, key: &str) -> Result<(), Self::Error>;
    /// Writes the end of a create, if its key still has a record. Without a cost, the stored cost
    /// stays.
    fn update(
        &self,
        key: &str,
        kept: &KeptCreate,
        slot_until: Option<i64>,
    ) -> Result<(), Self::Error>;
    /// Removes the record of a key, and its entry.
    fn remove(&self, key: &str) -> Result<(), Self::Error>;
    /// Frees the slots of a task. Returns the times until which they were taken.
    fn free(&self, group: Group, task: &str) -> Result<Vec<i64>, Self::Error>;
    /// Returns the creates of a task.
    fn priced(&self, group: Group, task: &str) -> Result<Vec<Priced>, Self::Error>;
    /// Writes the cost of a task's creates.
    fn set_cost(&self, group: Group, task: &str, cost: Credits) -> Result<(), Self::Error>;
    /// Forgets the keys of creates stored up to `before`, and removes the rows of creates without
    /// an entry. Returns the time of the oldest key that is left.
    fn prune(&self, before: i64) -> Result<Option<i64>, Self::Error>;
    /// Counts a taking in the bucket that begins at `bucket`.
    fn take(&self, taking: &Taking, bucket: i64) -> Result<(), Self::Error>;
    /// Returns the sums of an item over the buckets that begin after `since`.
    fn taken(&self, item: Item, since: i64) -> Result<Taken, Self::Error>;
    /// Returns true if any key begins with `prefix`, which must be ASCII.
    fn has_prefix(&self, prefix: &str) -> Result<bool, Self::Error>;
    /// Returns the times of the records after `since`, and the slots that are taken at `now`.
    fn counted(&self, since: i64, now: i64) -> Result<CountedTimes, Self::Error>;
}
